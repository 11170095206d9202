// Shows times in the reader's zone and customs.
const page = document.documentElement.lang
const customs = navigator.languages.find((language) => language.split("-")[0] === page) ?? page
for (const time of document.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toLocaleString(customs, {
    dateStyle: "long", timeStyle: time.dataset.style,
  })
}

// A form is sent once, however often its button is pressed. (Not in the event, which would leave out the button itself.)
const buttons = (form, isDisabled) => form.querySelectorAll("button").forEach((it) => { it.disabled = isDisabled })
document.addEventListener("submit", (event) => setTimeout(() => buttons(event.target, true)))
// The page can come back, as it was left.
addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => buttons(form, false)))

// Recovery codes.
const codes = Array.from(document.querySelectorAll("main.codes li"), (it) => it.textContent).join("\n")
const acts = { copy: navigator.clipboard && (() => navigator.clipboard.writeText(codes)), print: () => window.print() }
for (const button of document.querySelectorAll("[data-act]")) {
  button.hidden = !acts[button.dataset.act]
  button.addEventListener("click", acts[button.dataset.act])
}
