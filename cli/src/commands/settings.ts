// `settings`: the draft of a project's settings, which does not change live traffic before a deploy.
import type { ManagementRoutes } from '@sallyport/sdk'
import { readAssignments, refuseUnknown } from '../frame/assignments.ts'
import type { Command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { showChanges, showWarnings } from './show-changes.ts'

const path = '/auth/v1/projects/{projectId}/settings'
type Draft = ManagementRoutes[`GET ${typeof path}`]['output']
type Update = NonNullable<ManagementRoutes[`PUT ${typeof path}`]['input']['body']>

/** Of the row, not of the settings. */
const facts = ['id', 'project_id', 'draft_provider_model', 'draft_saved_at', 'deployed_at', 'created_at', 'updated_at']

export const settingsCommands: readonly Command[] = [
  {
    name: 'settings get',
    summary: 'Show the settings of the draft, or some of them',
    example: 'sallyport settings get rpm_limit provider_model',
    args: [['[fields...]', 'only these']],
    async run({ args }, context) {
      const draft = readFields(await readDraft(context))
      const wanted = args.length === 0 ? Object.keys(draft) : args
      refuseUnknown(Object.fromEntries(wanted.map(name => [name, null])), Object.keys(draft))
      const json = Object.fromEntries(wanted.map(name => [name, draft[name]]))
      return { json, text: wanted.map(name => `${name} = ${JSON.stringify(draft[name])}`).join('\n') }
    },
  },
  {
    name: 'settings set',
    summary: 'Change fields of the draft; `deploy` makes them live',
    example: 'sallyport settings set rpm_limit=120 system_prompt=@prompt.txt',
    args: [['<field=value...>', 'JSON where it is JSON, else text; @FILE reads the value from a file']],
    async run({ args }, context) {
      const update = readAssignments(args)
      refuseUnknown(update, Object.keys(readFields(await readDraft(context))))
      const { id: projectId, slug } = await context.project()
      const saved = await context.client().request('PUT', path, { path: { projectId }, body: update as Update })
      const fields = readFields(saved)
      const json = Object.fromEntries(Object.keys(update).map(name => [name, fields[name]]))
      return { json, text: `The draft of ${slug} is saved.\nNext: sallyport settings diff --project ${slug}` }
    },
  },
  {
    name: 'settings diff',
    summary: 'Show what a deploy would change; exit code 2 if anything',
    example: 'sallyport settings diff --project amber-falcon-4821',
    async run(_input, context) {
      const changes = await readChanges(context)
      const { id: projectId } = await context.project()
      const warnings = await context.client().request('GET', `${path}/warnings`, { path: { projectId } })
      const warned = showWarnings(warnings.draft)
      if (changes.length === 0) return { json: changes, text: `The draft is what is live.${warned}` }
      return { json: changes, text: showChanges(changes) + warned, ending: 'differs' }
    },
  },
]

export async function readChanges(context: Context, deployment?: string) {
  const { id: projectId } = await context.project()
  const query = deployment === undefined ? {} : { deployment }
  return await context.client().request('GET', `${path}/changes`, { path: { projectId }, query })
}

async function readDraft(context: Context): Promise<Draft> {
  const { id: projectId } = await context.project()
  return await context.client().request('GET', path, { path: { projectId } })
}

/** With the draft model as the model: it is what a deploy would make live. */
function readFields({ draft_provider_model, ...row }: Draft): Record<string, unknown> {
  const fields = Object.entries(row).filter(([name]) => !facts.includes(name))
  const model = draft_provider_model ?? row.provider_model
  return { ...Object.fromEntries(fields), provider_model: model }
}
