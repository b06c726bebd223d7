// Detects columns that are separated by two blanks. Must read each character once: the text is the client's.

/** Whether two adjacent lines each have exactly two blanks that do not end a sentence. */
export function hasColumns(text: string): boolean {
  let line = 0
  let lineEnd = text.indexOf('\n')
  let lastWithBlanks = -1
  for (let at = text.indexOf('  '); at !== -1; ) {
    let end = at + 2
    while (text.charCodeAt(end) === 0x20) end++
    if (end - at === 2 && isInLine(text.charAt(at - 1), text.charAt(end))) {
      for (; lineEnd !== -1 && lineEnd < at; line++) lineEnd = text.indexOf('\n', lineEnd + 1)
      if (lastWithBlanks !== -1 && lastWithBlanks === line - 1) return true
      lastWithBlanks = line
    }
    at = text.indexOf('  ', end)
  }
  return false
}

const sentenceEnds = '.!?:;,'

function isInLine(before: string, after: string): boolean {
  return !isBlank(before) && !sentenceEnds.includes(before) && !isBlank(after)
}

/** Also true for the empty string, which stands for either end of the text. */
function isBlank(character: string): boolean {
  return character.trim() === ''
}
