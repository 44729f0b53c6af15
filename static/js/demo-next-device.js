/* Between two devices of the demo: the screen of the first is closed by now, so this page sends itself. */

document.getElementById("next-device").requestSubmit();
