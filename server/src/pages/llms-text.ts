// Renders /llms.txt in the format of llmstxt.org: one line for each page, with its first sentences.
import type { DocsFolder } from './docs-folder.ts'
import type { RenderedPage } from './markdown/render-page.ts'

export function renderLlmsText(
  groups: DocsFolder['groups'],
  rendered: ReadonlyMap<string, RenderedPage>,
  baseUrl: string,
): string {
  const lines = groups.flatMap(group => [
    '',
    `## ${group.title}`,
    '',
    ...group.pages.map(({ name, title }) => {
      const about = rendered.get(name)?.sections[0]?.text.split('\n')[0] ?? ''
      return `- [${title}](${baseUrl}/docs/${name}.md): ${about}`
    }),
  ])
  const summary =
    '> Sallyport is a self-hosted LLM gateway: browsers and mobile apps call OpenAI, Anthropic, Google, OpenRouter, ' +
    'Mistral or Cohere through it with short-lived tokens, so no API key ever leaves your server.'
  const api = [
    `- [OpenAPI document of the data plane](${baseUrl}/openapi.json): completions, models, threads, usage and mints.`,
    `- [OpenAPI document of the management API](${baseUrl}/auth/v1/openapi.json): every route of it.`,
  ]
  return `${['# Sallyport', '', summary, ...lines, '', '## API', '', ...api].join('\n')}\n`
}
