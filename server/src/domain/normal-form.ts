// A text in one of Unicode's normal forms. The platform's own sorts the marks of a character in quadratic time, so that
// a text of a megabyte would take minutes.

/** As many marks on one character as Unicode's format for streams allows; no language needs ten. */
const longRunOfMarks = /\p{M}{30}(?=\p{M})/gu
/** The combining grapheme joiner: invisible, and no mark is sorted across it. */
const joiner = '\u034f'

export function normalForm(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(longRunOfMarks, `$&${joiner}`).normalize(form)
}
