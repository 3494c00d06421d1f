#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the HTML report in a real browser: on a desktop and on a phone, light and dark.

Usage: browse_report.py PAGE.html FOLDER [--height PIXELS]

FOLDER gets a picture of each, desktop-light.png and so on. In each of the four the page is asked, by a script that a copy of it
has: whether the contrast of every text is that of WCAG 2.2 AA (4.5 to 1, large text 3), whether the page is wider than the window,
whether pictures, tables and headings have what a screen reader needs. A page with one fault of each kind is asked first and must
be convicted of all. Exit code 1 where something is found, 3 without chromium (apt-get install chromium).
"""
import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WINDOWS = {"desktop": 1280, "phone": 390}
SCHEMES = {"light": 1, "dark": 0}  # of blink's preferredColorScheme

# Every text with its own colour and that of the nearest background behind it.
AUDIT = r"""
<script>
const found = [];
const rgb = text => (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const luminance = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const background = e => {
  for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c;
  }
  return [255, 255, 255];
};
document.querySelectorAll('details').forEach(d => d.open = true);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let texts = 0;
for (let node; node = walker.nextNode();) {
  const e = node.parentElement;
  if (!node.textContent.trim() || ['SCRIPT', 'STYLE'].includes(e.tagName)) continue;
  ++texts;
  const style = getComputedStyle(e);
  const a = luminance(rgb(e.closest('svg') ? style.fill : style.color)), b = luminance(background(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)}: ${node.textContent.trim().slice(0, 60)}`);
}
if (document.documentElement.scrollWidth > innerWidth + 1) {
  const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll,pre'));
  found.push(`wider than the window: ${document.documentElement.scrollWidth} of ${innerWidth}, first <${wide[0]?.tagName}> ${wide[0]?.textContent.slice(0, 40)}`);
}
if (!document.documentElement.lang) found.push('no language');
if (!document.title) found.push('no title');
document.querySelectorAll('svg').forEach(s => {
  if (s.getAttribute('aria-hidden') !== 'true' && !s.getAttribute('aria-label')) found.push('a picture without a name');
});
document.querySelectorAll('th').forEach(t => { if (!t.scope) found.push('a head of a table without its scope'); });
let level = 0;
document.querySelectorAll('h1,h2,h3,h4').forEach(h => {
  if (+h.tagName[1] > level + 1) found.push(`heading ${h.tagName} behind level ${level}`);
  level = +h.tagName[1];
});
parent.document.getElementById('found').textContent =
  JSON.stringify({texts, width: innerWidth, found: [...new Set(found)]});
</script>
"""

FAULTY = """<html><body style="color:#999;background:#fff"><h1>a</h1><h3>b</h3><div style="width:3000px">wide</div>
<svg></svg><table><tr><th>x</th></tr></table></body></html>"""
FAULTS = ("contrast", "wider", "no language", "no title", "picture", "scope", "heading")


def chromium(*arguments):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("browse_report: no chromium (apt-get install chromium): nobody looked at the page", file=sys.stderr)
        sys.exit(3)
    common = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"]
    return subprocess.run([program, *common, *arguments], capture_output=True, text=True, timeout=120)


def settings(window, scheme, height):
    return [f"--window-size={WINDOWS[window]},{height}", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"]


def audit(page, window, scheme, folder):
    """What the browser finds in the text of a page."""
    copy = pathlib.Path(folder) / "copy.html"
    # A window is never narrower than 500 pixels; a frame is.
    framed = html.escape(page.replace("</body>", AUDIT + "</body>"))
    copy.write_text(f'<!DOCTYPE html><meta charset="utf-8"><pre id="found"></pre>'
                    f'<iframe style="border:0;width:{WINDOWS[window]}px;height:900px" srcdoc="{framed}"></iframe>')
    dom = chromium(*settings(window, scheme, 900), "--dump-dom", copy.as_uri()).stdout
    answer = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
    if not answer:
        sys.exit(f"browse_report: the browser gave no answer: {dom[:200]}")
    return json.loads(html.unescape(answer[1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--height", type=int, default=1600)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wrong = False
    with tempfile.TemporaryDirectory() as scratch:
        control = " ".join(audit(FAULTY, "phone", "light", scratch)["found"])
        for fault in FAULTS:
            if fault not in control:
                sys.exit(f"browse_report: the control's fault '{fault}' was not found: {control}")
        for window in WINDOWS:
            for scheme in SCHEMES:
                picture = options.folder / f"{window}-{scheme}.png"
                chromium(*settings(window, scheme, options.height), f"--screenshot={picture}", options.page.resolve().as_uri())
                answer = audit(options.page.read_text(), window, scheme, scratch)
                print(f"{picture}: {picture.stat().st_size} bytes; {answer['texts']} texts at {answer['width']} pixels, "
                      f"{len(answer['found'])} faults")
                for fault in answer["found"]:
                    print(f"  {fault}")
                wrong = wrong or bool(answer["found"]) or answer["texts"] == 0
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
