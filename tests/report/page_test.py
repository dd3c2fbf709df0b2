#!/usr/bin/env python3
"""The report in a real browser: a few experiments are run, drawn and reported, and the page is used as a reader would.

usage: page_test.py BLOOMERY CHROMIUM     exit code 77 if there is no CHROMIUM
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

SKIPPED = 77

# Curves over an axis of numbers with theory and published numbers, and bars over words.
CONFIGS = {
    "curves.yaml": """
experiment: curves
about: Lines & <b>points</b>
notes: </script><script>document.title = 'broken'</script>
source: {paper: bloofi, section: 7.2.1, figures: [5a]}
defaults: {n_exp: 100, rho: 0.01, n: 10, maintain_ops: 10}
sweep: {N: [20, 60, 200], hit_rate: [0, 1]}
series:
  - {name: Naive, structure: naive}
  - {name: Bloofi, structure: bloofi}
  - {name: Flat-Bloofi, structure: flat_bloofi}
measure: {search: {queries: 400}, maintain: [insert, update, erase], repeats: 3}
figures:
  - {id: time, title: Search time, x: N, y: search_time, xscale: log, yscale: log, where: {hit_rate: 1}}
  - {id: cost, title: Cost, x: N, y: search_bf_cost, xscale: log, series: [Naive, Bloofi], curves: [ideal_full], where: {hit_rate: 1}}
claims:
  - {id: fewer, says: Bloofi checks fewer filters than Naive, section: 7.2.1, figure: cost, check: "search_bf_cost[Bloofi] < search_bf_cost[Naive]", at: {N: 200, hit_rate: 1}}
  - {id: more, says: Bloofi checks more filters than Naive, section: 7.2.1, figure: cost, check: "search_bf_cost[Bloofi] > search_bf_cost[Naive]", at: {N: 200, hit_rate: 1}}
published:
  - {series: Bloofi, metric: search_bf_cost, at: {N: 1000, hit_rate: 1}, value: 24.6, source: paper}
""",
    "bars.yaml": """
experiment: bars
about: Bars
scenario: filter
defaults: {k: 7, c: 10}
sweep: {n: [1000, 8000], hit_rate: [0, 1]}
series:
  - {name: Standard filter, structure: bloom}
  - {name: Blocked by the line, structure: blocked_bloom}
measure: {search: {queries: 2000}, repeats: 2}
figures:
  - {id: bar_time, title: Lookup, x: series, y: [lookup_time, fill_time], kind: bar, where: {n: 8000, hit_rate: 0}}
  - {id: bar_sizes, title: Storage, x: n, y: storage, kind: bar, where: {hit_rate: 0}}
""",
}
FIGURES = 4


def make_page(program, folder):
    for name, text in CONFIGS.items():
        (folder / name).write_text(text)
    for command in (["run"], ["plot"], ["report"]):
        subprocess.run([program, *command, *CONFIGS, "--results", "results", "--plots", "plots"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "plots" / "report.html"


class PageTest(unittest.TestCase):
    width = 1400
    scripts = True

    @classmethod
    def setUpClass(cls):
        cls.browser = BROWSER
        cls.browser.start_page(cls.width, 900, scripts=cls.scripts)
        cls.browser.open(PAGE.as_uri())

    @classmethod
    def tearDownClass(cls):
        cls.browser.end_page()

    def js(self, expression):
        return self.browser.evaluate(expression)

    def draw_all(self):
        self.js("document.querySelectorAll('.chart').forEach(drawFigure)")

    def chart(self, figure):
        """Scrolls it into sight and waits until it is drawn."""
        return self.js(f"""(async () => {{
            const holder = document.querySelector('[id$="-{figure}"] .chart');
            holder.scrollIntoView({{block: 'center'}});
            for (let i = 0; i < 200 && !holder.chart; ++i) await new Promise(done => setTimeout(done, 25));
            window.holder = holder;
            return Boolean(holder.chart);
        }})()""")

    def ask(self, **fields):
        """The advisor's answer, as text."""
        for name, value in fields.items():
            self.js(f"""(() => {{
                const field = document.getElementById('advisor-form').elements['{name}'];
                if (field.type === 'checkbox') field.checked = {'true' if value else 'false'}; else field.value = '{value}';
                field.dispatchEvent(new Event('input', {{bubbles: true}}));
            }})()""")
        return self.js("document.getElementById('advisor-answer').textContent")

    def assert_quiet(self):
        self.assertEqual(self.browser.problems, [])
        elsewhere = [url for url in self.browser.requests if not url.startswith(("file:", "data:"))]
        self.assertEqual(elsewhere, [])


class DesktopTest(PageTest):
    def test_every_figure_is_drawn(self):
        self.browser.open(PAGE.as_uri())
        self.assertEqual(self.js("document.querySelectorAll('figure .chart').length"), FIGURES)
        self.assertLess(self.js("document.querySelectorAll('.canvas').length"), FIGURES, "figures out of sight wait")
        self.draw_all()
        self.assertEqual(self.js("[...document.querySelectorAll('.canvas')].filter(c => c.querySelector('.curve')).length"),
                         FIGURES)
        self.assertEqual(self.js("[...document.querySelectorAll('figure .canvas *')].filter(e => "
                                 "/NaN|Infinity|undefined/.test(e.outerHTML)).length"), 0)
        self.assert_quiet()

    def test_every_static_picture_is_whole(self):
        broken = self.js("""Promise.all([...document.querySelectorAll('figure img')].map(async image => {
            image.loading = 'eager';
            await image.decode();
            return image.naturalWidth > 100;
        })).then(found => found.filter(whole => !whole).length + ' of ' + found.length)""")
        self.assertEqual(broken, f"0 of {FIGURES}")

    def test_a_curve_that_is_switched_off_disappears(self):
        self.assertTrue(self.chart("time"))
        names = "[...holder.querySelectorAll('.curve')].map(curve => curve.dataset.name)"
        self.assertEqual(self.js(names), ["Naive", "Bloofi", "Flat-Bloofi"])
        self.js("holder.querySelectorAll('.legend button')[1].click()")
        self.assertEqual(self.js(names), ["Naive", "Flat-Bloofi"])
        self.assertEqual(self.js("holder.querySelectorAll('.legend button')[1].getAttribute('aria-pressed')"), "false")
        self.js("holder.querySelectorAll('.legend button')[1].click()")
        self.assertEqual(self.js(names), ["Naive", "Bloofi", "Flat-Bloofi"])
        self.assert_quiet()

    def test_all_curves_off_is_no_error(self):
        self.assertTrue(self.chart("bar-sizes"))
        self.js("holder.querySelectorAll('.legend button').forEach(button => button.click())")
        self.assertEqual(self.js("holder.querySelectorAll('.curve').length"), 0)
        self.js("holder.querySelectorAll('.legend button').forEach(button => button.click())")
        self.assertEqual(self.js("holder.querySelectorAll('.curve').length"), 2)
        self.assert_quiet()

    def test_pointing_reads_the_values(self):
        self.assertTrue(self.chart("time"))
        x, y = self.js("(() => { const box = holder.querySelector('.canvas').getBoundingClientRect();"
                       " return [box.left + box.width - 30, box.top + 100]; })()")
        self.browser.point_at(x, y)
        tip = self.js("holder.querySelector('.tip').textContent")
        self.assertFalse(self.js("holder.querySelector('.tip').hidden"))
        for part in ("N = 200", "Naive", "Bloofi", "n = 3"):
            self.assertIn(part, tip)

    def test_arrow_keys_read_the_values(self):
        self.assertTrue(self.chart("cost"))
        self.js("holder.querySelector('.canvas').focus()")
        self.browser.press("End")
        self.assertIn("N = 1\u202f000", self.js("holder.querySelector('.tip').textContent"), "the published number")
        self.assertIn("24.6", self.js("holder.querySelector('.tip').textContent"))
        self.browser.press("Home")
        self.assertIn("N = 20", self.js("holder.querySelector('.tip').textContent"))
        self.browser.press("Escape")
        self.assertTrue(self.js("holder.querySelector('.tip').hidden"))

    def test_text_of_a_config_stays_text(self):
        self.assertEqual(self.js("document.title"), "Bloomery report")
        self.assertIn("<b>points</b>", self.js("document.querySelector('#curves p').textContent"))

    def test_claims_stand_beside_their_figure_and_filter(self):
        self.assertEqual(self.js("[...document.querySelectorAll('[id$=\"-cost\"] .claims .badge')].map(b => b.textContent)"),
                         ["holds", "does not hold"])
        shown = "[...document.querySelectorAll('#claims-list li')].filter(li => !li.hidden).map(li => li.dataset.kind)"
        self.js("document.querySelector('[data-filters] button[value=\"does not hold\"]').click()")
        self.assertEqual(self.js(shown), ["does not hold"])
        self.js("document.querySelector('[data-filters] button[value=\"does not hold\"]').click()")
        self.assertEqual(self.js(shown), ["holds", "does not hold"])
        self.js("document.querySelectorAll('#claims-list a').forEach(a => { if (!document.querySelector(a.getAttribute('href'))) throw a })")

    def test_tables_sort_by_number(self):
        column = "[...document.querySelector('table.sortable').tBodies[0].rows].map(row => cellValue(row, 1))"
        self.js("document.querySelector('table.sortable').tHead.rows[0].cells[1].querySelector('button').click()")
        up = [float(value) for value in self.js(column)]
        self.assertEqual(up, sorted(up))
        self.js("document.querySelector('table.sortable').tHead.rows[0].cells[1].querySelector('button').click()")
        self.assertEqual([float(value) for value in self.js(column)], sorted(up, reverse=True))


class AdvisorTest(PageTest):
    blank = {"sets": 60, "keys": 10, "hit": 100, "rate": "", "memory": "", "changes": 0, "kind": "sets", "threads": 1,
             "batch": 64, "together": False}

    def setUp(self):
        self.ask(**self.blank)

    def time_of(self, structure):
        return self.js(f"(() => {{ const data = JSON.parse(document.getElementById('advisor-data').textContent);"
                       f" const ask = questionOf(document.getElementById('advisor-form'));"
                       f" return advise(data, pointsOf(data), ask).answers.find(a => a.variant.name === '{structure}').time; }})()")

    def measured(self, structure, sets, hit):
        return self.js(f"(() => {{ const data = JSON.parse(document.getElementById('advisor-data').textContent);"
                       f" return pointsOf(data).find(p => data.variants[p.variant].name === '{structure}' &&"
                       f" p.sets === {sets} && p.hit === {hit}).search; }})()")

    def test_answers_with_what_was_measured(self):
        answer = self.ask()
        for part in ("a query", "naive", "bloofi", "flat_bloofi", "N = 60"):
            self.assertIn(part, answer)
        self.assertEqual(self.time_of("bloofi"), self.measured("bloofi", 60, 1))
        self.assert_quiet()

    def test_interpolates_between_measured_points(self):
        self.ask(sets=100)
        low, high = self.measured("naive", 60, 1), self.measured("naive", 200, 1)
        self.assertLess(min(low, high), self.time_of("naive"))
        self.assertLess(self.time_of("naive"), max(low, high))
        self.ask(sets=60, hit=25)
        mean = 0.75 * self.measured("naive", 60, 0) + 0.25 * self.measured("naive", 60, 1)
        self.assertAlmostEqual(self.time_of("naive"), mean, delta=1e-6 * mean)

    def test_says_where_it_leaves_what_was_measured(self):
        self.assertIn("carried on past N = 200", self.ask(sets=400))
        self.assertIn("measured with n = 10", self.ask(sets=60, keys=14))
        self.assertIn("measured with 1 thread", self.ask(keys=10, threads=2))
        self.assertIn("No structure", self.ask(sets=100000000, threads=64))

    def test_keeps_the_bounds(self):
        self.assertIn("takes", self.ask(memory=0.0001))
        self.assertIn("No structure", self.ask(memory=0.0001))
        self.assertIn("only known to be below", self.ask(memory="", rate=0.00001))

    def test_changes_have_their_price(self):
        self.ask(changes=1000)
        self.assertIn("of which changes", self.ask(changes=1000))
        self.assertIn("may not come and go beside queries", self.ask(changes=1000, together=True))

    def test_one_set_brings_in_the_plain_filters(self):
        answer = self.ask(sets=1, keys=8000, hit=0)
        self.assertIn("blocked_bloom", answer)
        self.assertNotIn("blocked_bloom", self.ask(sets=60, keys=10))

    def test_refuses_nonsense(self):
        self.assertIn("numbers within their ranges", self.ask(sets="-3"))
        self.assert_quiet()


class PhoneTest(PageTest):
    width = 390

    def test_fits(self):
        self.draw_all()
        self.assertLessEqual(self.js("document.documentElement.scrollWidth"), 390)
        self.assertLessEqual(self.js("Math.max(...[...document.querySelectorAll('.canvas')].map(c => c.getBoundingClientRect().right))"), 390)
        self.assert_quiet()


class PrintTest(PageTest):
    def test_prints_the_static_pictures(self):
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        shown = "[...document.querySelectorAll('{}')].filter(e => getComputedStyle(e).display !== 'none').length"
        self.assertEqual(self.js(shown.format("figure img")), FIGURES)
        self.assertEqual(self.js(shown.format("figure .chart")), 0)


class WithoutScriptsTest(PageTest):
    scripts = False

    def test_shows_the_static_pictures(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=False)  # the page's own have not run
        shown = "[...document.querySelectorAll('{}')].filter(e => getComputedStyle(e).display !== 'none').length"
        self.assertEqual(self.js(shown.format("figure img")), FIGURES)
        self.assertEqual(self.js(shown.format("figure .chart")), 0)
        self.assertEqual(self.js(shown.format("#advisor-form")), 0)
        self.assertGreater(self.js(shown.format("table.sortable tbody tr")), 3)


if __name__ == "__main__":
    PROGRAM, CHROMIUM = pathlib.Path(sys.argv[1]).resolve(), (sys.argv[2] if len(sys.argv) > 2 else "")
    if not CHROMIUM:
        print("no chromium: the page has not been tested")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="bloomery-page-") as name:
        PAGE = make_page(PROGRAM, pathlib.Path(name))
        with Browser(CHROMIUM) as BROWSER:
            passed = unittest.main(argv=[sys.argv[0]], exit=False).result.wasSuccessful()
    sys.exit(not passed)
