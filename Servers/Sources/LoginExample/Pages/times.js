// Shows times in the reader's zone and customs.
const page = document.documentElement.lang
const customs = navigator.languages.find((language) => language.split("-")[0] === page) ?? page
for (const time of document.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toLocaleString(customs, {
    dateStyle: "long", timeStyle: time.dataset.style,
  })
}
