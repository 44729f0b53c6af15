/* Finding a person among those on duty: by the beginning of any word of the name, without accents and capitals, or by the
   first digits of the badge. */

const plain = (text) => text.normalize("NFD").replaceAll(/\p{M}/gv, "").toLowerCase();

/** Where `text` begins a word of this name: the position of its first letter, or -1. */
export function matchOf(name, text) {
  const searched = plain(text.trim()), folded = plain(name.normalize("NFC"));
  if (!searched) return 0;
  const beginnings = [...folded.matchAll(/(?<=^|[\s'\-])\S/gv)].map((word) => word.index);
  return beginnings.find((start) => folded.startsWith(searched, start)) ?? -1;
}

/** The letters with which `text` could go on, so that somebody still matches. */
export function lettersAfter(names, text) {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return new Set(letters.filter((letter) => names.some((name) => matchOf(name, text + letter) >= 0)));
}

/** Whether these digits begin this badge number. */
export const badgeMatches = (badge, digits) => /^\d+$/v.test(digits) && (badge ?? "").startsWith(digits);

/** The one person with this badge, unless the number may still go on to somebody else's. */
export function personOfBadge(people, digits) {
  const matches = people.filter(({ dataset }) => badgeMatches(dataset.badge, digits));
  return matches.length === 1 && matches[0].dataset.badge === digits ? matches[0] : undefined;
}
