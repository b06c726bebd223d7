// HTML templates: strings that are put in are escaped, markup that was made here is not. Knows no page.

export interface Markup {
  markup: string
}

export const noMarkup: Markup = { markup: '' }

export function html(parts: TemplateStringsArray, ...values: (string | Markup | Markup[])[]): Markup {
  const texts = values.map(value => {
    if (typeof value === 'string') return escapeHtml(value)
    return Array.isArray(value) ? value.map(({ markup }) => markup).join('') : value.markup
  })
  return { markup: String.raw({ raw: parts }, ...texts) }
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
