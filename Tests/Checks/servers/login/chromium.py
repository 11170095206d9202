"""The example in a real browser: by keyboard from sign-up to the second factor, its QR code read from the screen; and
every page that the other tests have seen, on two screens. With OTP_GALLERY, a folder, only its screenshots are written.
"""
import os
import re
import subprocess
import sysconfig
import tempfile

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from example import ARGUMENTS, PAGES, PASSWORD, App

EMAIL = "chromium@example.com"
GALLERY = os.environ.get("OTP_GALLERY")
# The WCAG rules that a machine can check, by Deque's axe-core. It is in a PyPI package, of which only this file is
# used, since the rest needs another way to drive a browser.
AXE = os.path.join(sysconfig.get_path("purelib"), "axe_playwright_python", "axe.min.js")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Chromium(webdriver.Chrome):
    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Chromium's sandbox does not work for root.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         "--hide-scrollbars", f"--user-data-dir={folder}", "--lang=en", "--accept-lang=en"):
            options.add_argument(argument)
        super().__init__(options, webdriver.ChromeService("/usr/bin/chromedriver"))
        # Half an hour beside UTC, so that a time in the wrong zone shows.
        self.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
        self.resize()

    def resize(self, width=360, height=740, scheme="light"):
        """The size of the screen, and the color scheme that the reader prefers."""
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def one(self, selector):
        return self.find_element(By.CSS_SELECTOR, selector)

    def leave(self, act, *arguments):
        """Does something that leads to another page, and waits for that page."""
        page = self.one("html")
        act(*arguments)
        WebDriverWait(self, 60).until(lambda _: is_gone(page))

    def type_in(self, **fields):
        """Fills in the page's form, and submits it with the return key."""
        for name, text in fields.items():
            field = self.find_element(By.NAME, name)
            field.clear()
            field.send_keys(text)
        self.leave(field.send_keys, Keys.ENTER)

    def press(self, selector):
        """Activates a link or button with the return key."""
        self.leave(self.one(selector).send_keys, Keys.ENTER)

    def picture(self, name, width, height):
        """A screenshot for the gallery."""
        if GALLERY:
            self.resize(width, height)
            self.save_screenshot(os.path.join(GALLERY, f"{name}.png"))
            self.resize()

    def scan(self):
        """Reads the QR code in a screenshot with zbar, as a phone's camera would."""
        self.execute_script("document.querySelector('.qr').scrollIntoView()")
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            self.save_screenshot(file.name)
            return subprocess.run(["zbarimg", "--quiet", "--raw", file.name], capture_output=True, text=True,
                                  check=True).stdout.strip()

    def check(self, page):
        """Checks that a page fits the screen and that axe-core finds no fault, on two screens."""
        self.execute_script("document.open(); document.write(arguments[0]); document.close()", page)
        WebDriverWait(self, 60).until(lambda _: self.execute_script(
            "return document.readyState === 'complete' && document.styleSheets.length === 1"))
        with open(AXE, encoding="utf-8") as file:
            self.execute_script(file.read())
        for screen in ((1000, 740, "dark"), (360, 740, "light")):
            self.resize(*screen)
            width, inner = self.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
            assert width <= inner, f"{width} wide, on a screen of {inner}: {page}"
            result = self.execute_async_script(
                "const done = arguments[arguments.length - 1];"
                "axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}},"
                "        (error, result) => done(error ? String(error) : result))", RULES)
            assert "violations" in result, result
            found = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in result["violations"]]
            assert not found and result["passes"], (found, page)


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


def codes_page(driver):
    """Recovery codes can be copied, downloaded and printed."""
    codes = [item.text for item in driver.find_elements(By.CSS_SELECTOR, "main li")]
    driver.execute_cdp_cmd("Browser.grantPermissions", {
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    driver.one("[data-act=copy]").click()
    copied = WebDriverWait(driver, 10).until(lambda _: driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))"))
    link = driver.one("[download]").get_attribute("href").partition(",")[2]
    assert len(codes) == 10 and copied.split("\n") == link.split("%0A") == codes, (copied, link)
    driver.execute_script("window.print = () => { document.title = 'printed' }")
    driver.one("[data-act=print]").click()
    assert driver.title == "printed"


def pressed(driver):
    """A button is disabled once it is pressed."""
    driver.execute_script("document.querySelector('main form').addEventListener('submit', it => it.preventDefault())")
    driver.one("main form button").click()
    WebDriverWait(driver, 10).until(lambda _: not driver.one("main form button").is_enabled())


def life(site, driver):
    """By keyboard, from sign-up to a sign-in with an app's code."""
    driver.get(site.origin + "/sign-up")
    driver.type_in(email=EMAIL, password=PASSWORD)
    driver.get(site.message(rf"To {EMAIL}: (http://\S+)"))
    driver.type_in(password=PASSWORD)
    driver.type_in(email=EMAIL, password=PASSWORD)
    driver.press("[href='/factors/add']")
    driver.picture("add", 1000, 700)
    uri = driver.scan()
    secret = re.search("secret=([A-Z2-7]+)", uri)[1]
    assert "issuer=Example" in uri and driver.one("#key").text.replace(" ", "") == secret, uri
    app = App(secret)
    driver.type_in(name="My app", code=app.code())
    codes_page(driver)
    driver.press("a.button[href='/account']")
    driver.press("[action='/sign-out'] button")
    driver.type_in(email=EMAIL, password=PASSWORD)
    # The field for the code has the focus.
    field = driver.switch_to.active_element
    assert field.get_attribute("autocomplete") == "one-time-code" and field.get_attribute("inputmode") == "numeric"
    driver.picture("second-factor", 360, 900)
    code = subprocess.run(["oathtool", "--totp", "--base32", secret], capture_output=True, text=True, check=True).stdout
    driver.leave(field.send_keys, code.strip(), Keys.ENTER)
    shown = driver.one("time")
    minute = (int(shown.get_attribute("datetime")[14:16]) + 30) % 60
    assert f":{minute:02}" in shown.text and "UTC" not in shown.text, shown.text
    driver.picture("account", 1000, 1080)
    driver.press("[hreflang=ar]")
    assert driver.one("html").get_attribute("dir") == "rtl"
    driver.picture("account-ar", 360, 900)
    pressed(driver)


def chromium(site):
    """By keyboard, and each page that any test has seen."""
    with tempfile.TemporaryDirectory() as folder, Chromium(folder) as driver:
        life(site, driver)
        if not GALLERY:
            assert len(PAGES) > 30, list(PAGES)
            driver.get(site.origin + "/nothing")
            for page in PAGES.values():
                driver.check(page)


ALL = (chromium,)
