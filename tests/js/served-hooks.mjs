/* Resolves the imports of a game's script as the server does: next to its folder lies static/js. */

const shared = new URL("../../static/", import.meta.url);

export const resolve = (specifier, context, next) =>
  next(specifier.startsWith("../js/") ? new URL(specifier.slice(3), shared).href : specifier, context);
