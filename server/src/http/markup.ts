// HTML templates: strings put into a template are escaped, markup made by `html` is not.

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
