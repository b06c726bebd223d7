// `projects`: the projects that the account may see.
import type { Command } from '../frame/command.ts'
import { listProjects } from '../frame/context.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

export const projectCommands: readonly Command[] = [
  {
    name: 'projects',
    summary: 'List the projects, or create one',
    example: 'sallyport projects',
    async run(_input, context) {
      const all = await context.tenants()
      const wanted = context.wantedTenant === null ? all : [await context.tenant()]
      const listed = await Promise.all(
        wanted.map(async ({ id, name }) => {
          const projects = await listProjects(context.client(), id)
          return projects.map(project => ({ ...project, tenant: name }))
        }),
      )
      const projects = listed.flat()
      const text = renderTable(
        projects,
        [
          ['PROJECT', ({ slug }) => slug],
          ['NAME', ({ name }) => name],
          ['STATUS', ({ status }) => status],
          ['TENANT', ({ tenant }) => tenant],
          ['ID', ({ id }) => id],
        ],
        terminalWidth(),
      )
      return { json: projects, text }
    },
  },
  {
    name: 'projects create',
    summary: 'Create a project',
    example: 'sallyport projects create "Support bot"',
    args: [['<name>', 'what people call it; the slug is chosen by the server']],
    async run({ args: [name = ''] }, context) {
      const { id: tenantId } = await context.tenant()
      const input = { path: { tenantId }, body: { name } }
      const project = await context.client().request('POST', '/auth/v1/tenants/{tenantId}/projects', input)
      const next = `Next: sallyport settings set provider_model=openai/gpt-5-mini --project ${project.slug}`
      return { json: project, text: `Created the project ${project.slug}, at ${project.fqdn_prod}.\n${next}` }
    },
  },
]
