// SPDX-License-Identifier: Apache-2.0
#include "reports/html/style.h"

#include <array>

#include <fmt/format.h>

namespace gradproof {
namespace {

struct Colour {
  const char* name;
  const char* light;
  const char* dark;
};

constexpr std::array kColours{
    Colour{"page", "#ffffff", "#0f1318"},    Colour{"panel", "#f4f6f8", "#181e25"},
    Colour{"edge", "#d0d7de", "#333c47"},    Colour{"text", "#1b1f24", "#e6e9ee"},
    Colour{"muted", "#535c66", "#a2acb9"},   Colour{"badge", "#ffffff", "#0f1318"},
    Colour{"shade", "#d3dae2", "#3a4553"},   Colour{"good", "#17692f", "#57c774"},
    Colour{"bad", "#b3261e", "#ff8a80"},     Colour{"warn", "#7d5200", "#e3b341"},
    Colour{"series1", "#1f5fa8", "#79b0f2"}, Colour{"series2", "#9c3d10", "#f0a072"},
    Colour{"series3", "#17692f", "#57c774"}, Colour{"series4", "#7a3fa0", "#c79bea"},
    Colour{"series5", "#0b6a6a", "#5cc7c7"}, Colour{"series6", "#7d5200", "#e3b341"}};

std::string variables(const char* Colour::*scheme) {
  std::string text;
  for (const Colour& colour : kColours)
    text += fmt::format("--{}:{};", colour.name, colour.*scheme);
  return text;
}

constexpr const char* kLayout = R"(
*{box-sizing:border-box}
html{font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:var(--text);background:var(--page)}
body{margin:0 auto;max-width:1400px;padding:1.25rem}
h1{font-size:1.5rem;margin:0 0 .25rem}
section{scroll-margin-top:.5rem}
h2{font-size:1.15rem;margin:2.25rem 0 .75rem;border-bottom:1px solid var(--edge);padding-bottom:.25rem}
h3.gap{margin:1.25rem 0 .5rem}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
h4{font-size:.9rem;margin:.75rem 0 .25rem}
.card .scroll{margin:.5rem 0}
.card td:last-child{white-space:normal;min-width:14rem}
p,li,summary{overflow-wrap:anywhere}
p{margin:.35rem 0;max-width:75rem}
.muted{color:var(--muted)}
.good-text{color:var(--good)}
.bad-text{color:var(--bad);font-weight:600}
.warn-text{color:var(--warn)}
.verdict{display:inline-block;padding:.1rem .65rem;border-radius:.3rem;font-weight:700;letter-spacing:.02em}
.verdict.pass{color:var(--badge);background:var(--good)}
.verdict.fail{color:var(--badge);background:var(--bad)}
.verdict.open{color:var(--badge);background:var(--warn)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.6rem;margin:1rem 0}
.tile{color:var(--text);background:var(--panel);border:1px solid var(--edge);border-radius:.4rem;padding:.5rem .75rem}
a.tile{text-decoration:none}
a.tile .muted{text-decoration:underline;text-underline-offset:.2em}
a.tile:hover,a.tile:focus-visible{border-color:var(--series1)}
.tile b{display:block;font-size:1.3rem;line-height:1.3;font-variant-numeric:tabular-nums}
.card{color:var(--text);background:var(--panel);border:1px solid var(--edge);border-left:4px solid var(--bad);border-radius:.4rem;padding:.75rem 1rem;margin:.75rem 0}
.card .body{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,26rem);gap:1rem}
.diagnosis{border-left:3px solid var(--series1);padding-left:.6rem;margin:.5rem 0}
code,pre{font:.85rem/1.45 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{margin:.5rem 0;padding:.6rem .75rem;overflow-x:auto;color:var(--text);background:var(--page);border:1px solid var(--edge);border-radius:.3rem}
.card .facts{grid-template-columns:7.5rem minmax(0,1fr);margin:.5rem 0}
.copy{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.25rem .5rem;margin:.5rem 0}
.copy dt{color:var(--muted);font-size:.85rem}
.copy dd{margin:0}
.copy code{user-select:all;-webkit-user-select:all;overflow-wrap:anywhere}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--series1)}
.scroll{overflow:auto;max-height:34rem;border:1px solid var(--edge);border-radius:.4rem}
.scroll,pre{background-color:var(--page);background-image:linear-gradient(var(--page),var(--page)),linear-gradient(var(--page),var(--page)),linear-gradient(var(--page),var(--page)),linear-gradient(to top,var(--shade),transparent),linear-gradient(to right,var(--shade),transparent),linear-gradient(to left,var(--shade),transparent);background-position:bottom,left,right,bottom,left,right;background-size:100% 1.4rem,1.4rem 100%,1.4rem 100%,100% 1.1rem,1.1rem 100%,1.1rem 100%;background-repeat:no-repeat;background-attachment:local,local,local,scroll,scroll,scroll}
.hint{color:var(--muted);font-size:.85rem}
.hint::before{content:"\2195\00a0"}
table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--edge);white-space:nowrap}
th{vertical-align:bottom;color:var(--text);background:var(--panel);position:sticky;top:0}
th.n{white-space:normal}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
tr:last-child td{border-bottom:0}
.plots{display:grid;align-items:start;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:1rem}
figure{margin:0;padding:.75rem;border:1px solid var(--edge);border-radius:.4rem;break-inside:avoid}
figcaption{font-size:.85rem;color:var(--muted);margin-bottom:.5rem;overflow-wrap:anywhere}
figcaption b{color:var(--text);display:block}
svg{display:block;width:100%;height:auto;max-width:36rem}
svg.small{width:64px;height:20px}
dd svg.small{display:inline-block;vertical-align:bottom;margin-left:.5rem}
.facts{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:.15rem .75rem;font-size:.85rem;margin:0}
.facts dt{color:var(--muted)}
.facts dd{margin:0;overflow-wrap:anywhere}
svg text{font:11.5px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.tick{fill:var(--muted)}
.label{fill:var(--text)}
.grid{stroke:var(--edge);stroke-width:1}
.axis{stroke:var(--muted);stroke-width:1}
.bound{stroke:var(--bad);stroke-width:1.2;stroke-dasharray:4 3}
.frame{fill:none;stroke:var(--muted)}
.good{fill:var(--good)}
.bad{fill:var(--bad)}
.curve{fill:none;stroke-width:2}
.dashed{stroke-width:1.2;stroke-dasharray:4 3}
.bar1{stroke:var(--series1);stroke-width:3}
.barbad{stroke:var(--bad);stroke-width:3}
[class^=points]{fill:none;stroke-width:4;stroke-linecap:round}
.points1{stroke:var(--series1)}
.pointsmuted{stroke:var(--muted)}
.pointsgood{stroke:var(--good)}
.pointswarn{stroke:var(--warn)}
.pointsbad{stroke:var(--bad)}
)";

constexpr const char* kNarrow = R"(
@media (max-width:700px){body{padding:.75rem}.card .body{grid-template-columns:minmax(0,1fr)}.copy,.facts,.card .facts{grid-template-columns:minmax(0,1fr)}.copy dt,.facts dt{margin-top:.3rem}}
@media print{.scroll{max-height:none}body{max-width:none;padding:0}.scroll{overflow:visible;border:0}td,th{white-space:normal;padding:.15rem .3rem}pre{white-space:pre-wrap}.card,tr{break-inside:avoid}th{position:static}}
)";

}  // namespace

std::string stylesheet() {
  std::string text =
      fmt::format(":root{{color-scheme:light dark;{}}}\n", variables(&Colour::light));
  text += fmt::format("@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n",
                      variables(&Colour::dark));
  text += kLayout;
  for (int k = 1; k <= 6; ++k)
    text += fmt::format(
        ".series{0}{{fill:var(--series{0})}}.fill.series{0}{{fill:var(--series{0})}}"
        ".curve.series{0}{{fill:none;stroke:var(--series{0})}}\n",
        k);
  return text + kNarrow;
}

}  // namespace gradproof
