"""The example in a real browser, by keyboard, on two screens, in both writing directions; and its screenshots."""
import os
import re
import subprocess
import sys
import sysconfig
import tempfile

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from example import PASSWORD, App, running

EMAIL = "chromium@example.com"
NUMBER = "+493012345670"
# The screenshots of the gallery, with their screens.
GALLERY = {"account": (1000, 1080), "add": (1000, 700), "second-factor": (360, 900), "account-ar": (360, 900)}
# The WCAG rules that a machine can check, by Deque's axe-core. It is in a PyPI package, of which only this file is
# used, since the rest needs another way to drive a browser.
AXE = os.path.join(sysconfig.get_path("purelib"), "axe_playwright_python", "axe.min.js")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def browser(folder):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    # Chromium's sandbox does not work for root.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     f"--user-data-dir={folder}", "--lang=en", "--accept-lang=en"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    # Half an hour beside UTC, so that a time in the wrong zone shows.
    driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    show(driver)
    return driver


def show(driver, width=360, height=740, scheme="light"):
    """The size of the screen, and the color scheme that the reader prefers."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def heading(driver):
    return driver.find_element(By.TAG_NAME, "h1").text


def leave(driver, act, *arguments):
    """Does something that leads to another page, and waits for that page."""
    page = driver.find_element(By.TAG_NAME, "html")
    act(*arguments)
    WebDriverWait(driver, 60).until(lambda _: is_gone(page))


def is_gone(element):
    try:
        element.is_enabled()
    except StaleElementReferenceException:
        return True
    except WebDriverException as error:
        # What chromedriver says while the next page is replacing this one.
        if "does not belong to the document" not in str(error):
            raise
        return True
    return False


def type_in(driver, **fields):
    """Fills in the page's form, and submits it with the return key."""
    for name, text in fields.items():
        field = driver.find_element(By.NAME, name)
        field.clear()
        field.send_keys(text)
    leave(driver, field.send_keys, Keys.ENTER)


def press(driver, place):
    """Activates a link or button with the return key."""
    leave(driver, driver.find_element(By.CSS_SELECTOR, place).send_keys, Keys.ENTER)


def look(driver, name, gallery=None):
    """Checks that a page fits the screen and that axe-core finds no fault, on two screens; saves a screenshot."""
    for screen in ((1000, 740, "dark"), (360, 740, "light")):
        show(driver, *screen)
        width, inner = driver.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert width <= inner, f"{name}: {width} wide, on a screen of {inner}"
        check_accessibility(driver, name)
    if gallery and name in GALLERY:
        show(driver, *GALLERY[name])
        driver.save_screenshot(os.path.join(gallery, f"{name}.png"))
        show(driver)


def check_accessibility(driver, name):
    with open(AXE, encoding="utf-8") as file:
        driver.execute_script(file.read())
    result = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}},"
        "        (error, result) => done(error ? String(error) : result))", RULES)
    assert "violations" in result, result
    found = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in result["violations"]]
    assert not found and result["passes"], (name, found)


def scan(driver):
    """Reads the QR code in a screenshot with zbar, as a phone's camera would."""
    driver.execute_script("document.querySelector('.qr').scrollIntoView()")
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        driver.save_screenshot(file.name)
        return subprocess.run(["zbarimg", "--quiet", "--raw", file.name], capture_output=True, text=True,
                              check=True).stdout.strip()


def life(site, driver, gallery):
    driver.get(site.origin + "/sign-up")
    look(driver, "sign-up")
    type_in(driver, email=EMAIL, password=PASSWORD)
    driver.get(site.message(rf"To {EMAIL}: (http://\S+)"))
    look(driver, "verify")
    type_in(driver, password=PASSWORD)
    assert "confirmed" in driver.find_element(By.CSS_SELECTOR, "[role=status]").text
    look(driver, "sign-in")
    type_in(driver, email=EMAIL, password=PASSWORD)
    assert heading(driver) == "Account"
    press(driver, "[href='/factors/add']")
    look(driver, "add", gallery)
    uri = scan(driver)
    secret = re.search("secret=([A-Z2-7]+)", uri)[1]
    assert "issuer=Example" in uri, uri
    assert driver.find_element(By.ID, "key").text.replace(" ", "") == secret
    code = subprocess.run(["oathtool", "--totp", "--base32", secret], capture_output=True, text=True, check=True).stdout
    app = App(secret)
    assert len(code.strip()) == 6
    type_in(driver, name="My app", code=app.code())
    look(driver, "codes")
    assert len(driver.find_elements(By.CSS_SELECTOR, ".codes code")) == 10
    press(driver, ".actions .button")
    look(driver, "account-new")
    press(driver, "[href='/recovery-codes']")
    look(driver, "renewal")
    press(driver, "[href='/account']")
    press(driver, "[href='/phones/add']")
    look(driver, "phone")
    type_in(driver, phone=NUMBER)
    look(driver, "phone-code")
    type_in(driver, code=site.text_message(NUMBER))
    press(driver, "[action='/sign-out'] button")
    type_in(driver, email=EMAIL, password=PASSWORD)
    # The field for the code has the focus.
    field = driver.switch_to.active_element
    assert field.get_attribute("autocomplete") == "one-time-code"
    look(driver, "second-factor", gallery)
    leave(driver, field.send_keys, "000000", Keys.ENTER)
    assert "not right" in driver.find_element(By.CSS_SELECTOR, "[role=alert]").text
    look(driver, "wrong")
    type_in(driver, code=app.code())
    assert heading(driver) == "Account" and "My app" in driver.page_source
    shown = driver.find_element(By.TAG_NAME, "time")
    minute = (int(shown.get_attribute("datetime")[14:16]) + 30) % 60
    assert f":{minute:02}" in shown.text and "UTC" not in shown.text, shown.text
    look(driver, "account", gallery)
    # The language is kept, and changes the writing direction.
    press(driver, "[hreflang=ar]")
    assert driver.find_element(By.TAG_NAME, "html").get_attribute("dir") == "rtl"
    look(driver, "account-ar", gallery)
    press(driver, "[hreflang=en]")
    press(driver, "[action='/sign-out-everywhere'] button")
    type_in(driver, email=EMAIL, password=PASSWORD)
    press(driver, "[href='/recovery']")
    look(driver, "recovery")
    press(driver, "[href='/second-factor']")
    # With the phone, chosen with an arrow key.
    driver.find_element(By.NAME, "factor").send_keys(Keys.ARROW_DOWN)
    press(driver, "[formaction]")
    look(driver, "message-sent")
    assert driver.find_elements(By.NAME, "factor")[1].is_selected()
    type_in(driver, code=site.text_message(NUMBER))
    # Remove the app, and then the phone: each asks once more.
    for name in ("removal", "removal-last"):
        press(driver, "[href^='/factors/remove']")
        look(driver, name)
        press(driver, "[action='/factors/remove'] button")
    assert "none yet" in driver.page_source
    driver.get(site.origin + "/nothing")
    look(driver, "not-found")


def main():
    gallery = sys.argv[1] if len(sys.argv) > 1 else None
    with running("--attempts", "1000") as site, tempfile.TemporaryDirectory() as folder:
        driver = browser(folder)
        try:
            life(site, driver, gallery)
        finally:
            driver.quit()
    print("a factor's life in Chromium, its QR code read from the screen, and no fault found by axe-core")


if __name__ == "__main__":
    main()
