"""Generate the fonts that PDFs embed: static TrueType fonts, because the PDF library reads no others.

The Chinese font is also written for browsers: a sign on a display must not depend on the fonts of its machine.

Inter comes from the web font, at two weights, with tabular figures instead of proportional figures. Chinese comes
from Noto Sans CJK SC: all of GB 2312 with its symbols, Latin and figures. Outlines are made quadratic.
"""

import argparse
import sys
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont, newTable
from fontTools.varLib.instancer import instantiateVariableFont

from script.service_finder import ROOT

WEB_FONT = ROOT / "static/fonts/inter.woff2"
NOTO = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
MADE = ROOT / "static/fonts/pdf"
CHINESE_WEB_FONT = ROOT / "static/fonts/noto-sans-sc.woff2"
WEIGHTS = {"Regular": 400, "SemiBold": 600}
TEXT_SIZE = 14  # the optical size of small text
OUTLINE_ERROR = 2.0  # units of 1000 to the em that a quadratic outline may differ from the cubic one
MOMENT = 3_786_912_000  # 2024-01-01 in seconds since 1904: the same fonts every time they are made


def inter(weight: str) -> TTFont:
    """One weight of Inter, static, whose figures are all of one width."""
    font = instantiateVariableFont(TTFont(WEB_FONT), {"wght": WEIGHTS[weight], "opsz": TEXT_SIZE})
    font.flavor = None
    figures = tabular(font)
    for table in font["cmap"].tables:
        table.cmap = {code: figures.get(name, name) for code, name in table.cmap.items()}
    name(font, f"Inter{weight}", "Inter PDF", weight)
    keep(font, sorted(font.getBestCmap()))
    return font


def tabular(font: TTFont) -> dict[str, str]:
    """Each figure's glyph and its tabular one, as the font's own feature says."""
    rules = font["GSUB"].table
    found: dict[str, str] = {}
    for record in rules.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for part in rules.LookupList.Lookup[index].SubTable:
                    found.update(getattr(part, "ExtSubTable", part).mapping)
    digits = {font.getBestCmap()[ord(digit)] for digit in "0123456789"}
    if not digits <= found.keys():
        raise SystemExit("the web font has no tabular figures")
    return {one: found[one] for one in digits}


def characters() -> list[int]:
    """GB 2312 with its signs, ASCII and Latin-1, and the punctuation that typography adds."""
    chinese = {
        ord(sign)
        for row in (*range(0xA1, 0xA4), *range(0xB0, 0xF8))
        for cell in range(0xA1, 0xFF)
        for sign in bytes((row, cell)).decode("gb2312", "ignore")
    }
    latin = set(range(0x20, 0x7F)) | set(range(0xA0, 0x180))
    return sorted(chinese | latin | {ord(sign) for sign in "–—‘’“”…•′″−→←↑↓×÷¥€™·、。《》「」"})


def noto(collection: Path) -> TTFont:
    """The Chinese font, with quadratic outlines."""
    font = next(
        one
        for one in TTCollection(str(collection)).fonts
        if one["name"].getDebugName(6) == "NotoSansCJKsc-Regular"
    )
    keep(font, characters())
    return quadratic(font)


def keep(font: TTFont, codes: list[int]) -> None:
    """Drops every glyph but those of these characters, and every layout feature: the PDF library uses none."""
    options = Options(
        layout_features=[], name_IDs=[0, 1, 2, 4, 5, 6, 13, 14], notdef_outline=True, hinting=False
    )
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "STAT", "BASE", "VORG", "vhea", "vmtx", "gasp", "prep"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    font["head"].created = font["head"].modified = MOMENT
    font.recalcTimestamp = False


def quadratic(font: TTFont) -> TTFont:
    """The same font with TrueType outlines."""
    glyphs, order = font.getGlyphSet(), font.getGlyphOrder()
    drawn = {}
    for one in order:
        pen = TTGlyphPen(None)
        glyphs[one].draw(Cu2QuPen(pen, OUTLINE_ERROR, reverse_direction=True))
        drawn[one] = pen.glyph()
    made = FontBuilder(font["head"].unitsPerEm, isTTF=True)
    made.setupGlyphOrder(order)
    made.setupCharacterMap(font.getBestCmap())
    made.setupGlyf(drawn)
    made.setupHorizontalMetrics(
        {
            one: (glyphs[one].width, made.font["glyf"][one].xMin if drawn[one].numberOfContours else 0)
            for one in order
        }
    )
    line = font["hhea"]
    made.setupHorizontalHeader(ascent=line.ascent, descent=line.descent)
    made.setupOS2(sTypoAscender=line.ascent, sTypoDescender=line.descent, sCapHeight=733, usWeightClass=400)
    made.setupPost(keepGlyphNames=False)
    made.font["name"] = newTable("name")
    made.font["name"].names = []
    name(made.font, "NotoSansSCPDF-Regular", "Noto Sans SC PDF", "Regular")
    made.font["name"].setName(font["name"].getDebugName(0), 0, 3, 1, 0x409)
    made.font["name"].setName(
        "SIL Open Font License 1.1, static/fonts/pdf/LICENSE-NotoSansSC.txt", 13, 3, 1, 0x409
    )
    made.font["head"].created = made.font["head"].modified = MOMENT
    made.font.recalcTimestamp = False
    return made.font


def name(font: TTFont, code: str, family: str, style: str) -> None:
    """Names a font that is not the original any more."""
    for number, text in ((1, family), (2, style), (4, f"{family} {style}"), (6, code)):
        font["name"].setName(text, number, 3, 1, 0x409)


def write_web_font(source: Path, target: Path) -> None:
    """Writes a TrueType font as WOFF2, which halves it."""
    font = TTFont(source, recalcTimestamp=False)
    font.flavor = "woff2"
    font.save(target)


def main() -> None:
    """Writes the three fonts of PDFs and the web font, and says their sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("noto", nargs="?", type=Path, default=NOTO, help="NotoSansCJK-Regular.ttc")
    collection = parser.parse_args().noto
    if not collection.exists():
        sys.exit(f"{collection} is not here; Debian's package fonts-noto-cjk brings it")
    MADE.mkdir(exist_ok=True)
    for file, font in (
        *((f"Inter-{weight}", inter(weight)) for weight in WEIGHTS),
        ("NotoSansSC-Regular", noto(collection)),
    ):
        font.save(MADE / f"{file}.ttf", reorderTables=True)
        print(f"{file}.ttf  {(MADE / f'{file}.ttf').stat().st_size:>9,} bytes")
    write_web_font(MADE / "NotoSansSC-Regular.ttf", CHINESE_WEB_FONT)
    print(f"{CHINESE_WEB_FONT.name}  {CHINESE_WEB_FONT.stat().st_size:>9,} bytes")


if __name__ == "__main__":
    main()
