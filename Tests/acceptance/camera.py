"""What a camera reads on a terminal's screen."""

import re

import zxingcpp

# As xterm has them, and as pyte calls them.
COLOURS = {"black": 0, "white": 229, "brightwhite": 255, "bfightwhite": 255, "brightblack": 127}


def _brightness(colour, default):
    if colour == "default":
        return default
    if re.fullmatch("[0-9a-f]{6}", colour):
        return int(colour[2:4], 16)
    return COLOURS.get(colour, 128)


def qr_codes(terminal):
    """The texts of the QR codes that the screen shows, on a dark ground."""
    screen, dots = terminal.screen, bytearray()
    for row in range(screen.lines):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        for inked in ("█▀", "█▄"):
            for cell in cells:
                ink, ground = _brightness(cell.fg, 255), _brightness(cell.bg, 0)
                dots += bytes([ink if cell.data in inked else ground]) * 4
            line = dots[-4 * len(cells):]
            dots += line * 3
    image = memoryview(dots).cast("B", (screen.lines * 8, screen.columns * 4))
    return [code.text for code in zxingcpp.read_barcodes(image)]
