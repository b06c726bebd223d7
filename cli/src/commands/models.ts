// `models`: what the projects of a tenant can use, with prices.
import { type Command, textOption } from '../frame/command.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

export const modelsCommand: Command = {
  name: 'models',
  summary: 'List the models that the tenant can use, with their prices',
  example: 'sallyport models --search gpt',
  options: [['--search <text>', 'only models whose id contains it']],
  async run(input, context) {
    const { id: tenantId } = await context.tenant()
    const path = '/auth/v1/tenants/{tenantId}/providers/models'
    const { models: all } = await context.client().request('GET', path, { path: { tenantId } })
    const searched = (textOption(input, 'search') ?? '').toLowerCase()
    const models = all.filter(({ modelId }) => modelId.toLowerCase().includes(searched))
    const text = renderTable(
      models,
      [
        ['MODEL', ({ modelId }) => modelId],
        ['CONTEXT', ({ contextWindow }) => contextWindow],
        ['INPUT $/M', ({ prices }) => prices.input],
        ['OUTPUT $/M', ({ prices }) => prices.output],
      ],
      terminalWidth(),
    )
    return { json: models, text }
  },
}
