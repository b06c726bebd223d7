// The frame of every page: head, style sheet, script. Must not contain inline styles or scripts.
import { html, type Markup } from '../http/markup.ts'

interface PageParts {
  title: string
  style: string
  script: string
  body: Markup
}

/** Allows only scripts, styles, pictures and requests of the same origin; no page may be framed. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function renderDocument({ title, style, script, body }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
${body}
</body>
</html>
`.markup
}

/** Pages with a form that works without scripts: the search of the documentation. */
export const formPagePolicy = pagePolicy.replace("form-action 'none'", "form-action 'self'")
