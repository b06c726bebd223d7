// Renders the variables for docs/configuration.md and for --help.
import { sections } from './schema.ts'
import { about } from './variable.ts'

interface Section {
  title: string
  variables: { name: string; default: string; meaning: string; isSecret: boolean }[]
}

export function describeConfig(): Section[] {
  return Object.entries(sections).map(([title, shape]) => ({
    title,
    variables: Object.entries(shape).map(([name, schema]) => {
      const { meaning, otherwise, isSecret = false } = about.get(schema)!
      const fixed = 'defaultValue' in schema.def ? String(schema.def.defaultValue) : ''
      return { name, default: otherwise ?? (fixed || 'unset'), meaning, isSecret }
    }),
  }))
}

/** One table for each section, in Markdown. */
export function renderConfigTables(): string {
  return describeConfig()
    .map(({ title, variables }) => {
      const rows = variables.map(({ name, default: text, meaning, isSecret }) => {
        const cells = [`\`${name}\``, text, isSecret ? `Secret. ${meaning}` : meaning]
        return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
      })
      return [`## ${title}`, '', '| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
    })
    .join('\n\n')
}
