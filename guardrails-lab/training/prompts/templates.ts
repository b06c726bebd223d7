// Reads templates: one a line, with ⏎ for the end of a line within a template.

export function templatesIn(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim().replaceAll('⏎', '\n'))
    .filter(line => line !== '')
}
