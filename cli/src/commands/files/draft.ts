// The draft of a project as a document: compared with what files say, and written all at once.
import { type ManagementRoutes, SallyportError } from '@sallyport/sdk'
import type { Context } from '../../frame/context.ts'
import { Failure } from '../../frame/failure.ts'
import { type Changes, showChanges, showWarnings } from '../show-changes.ts'

const path = '/auth/v1/projects/{projectId}/draft'
export type DraftDocument = NonNullable<ManagementRoutes[`PUT ${typeof path}`]['input']['body']>
export type Draft = ManagementRoutes[`GET ${typeof path}`]['output']

/** What a document was read from. */
export interface DocumentSource {
  document: DraftDocument
  /** The command that shows what it would change. */
  look: string
  /** Fails with the place of the value that an error of the server begins with. */
  fail(message: string): never
}

export async function readDraft(context: Context): Promise<Draft> {
  const { id: projectId } = await context.project()
  return await context.client().request('GET', path, { path: { projectId } })
}

export async function compareDraft(source: DocumentSource, context: Context) {
  const { id: projectId } = await context.project()
  const request = { path: { projectId }, body: source.document }
  return await context
    .client()
    .request('POST', `${path}/compare`, request)
    .catch(error => explain(error, source))
}

/** Exit code 2 if anything differs. */
export async function showDifferences(source: DocumentSource, context: Context) {
  const { changes, warnings } = await compareDraft(source, context)
  const text = textOf(changes) + showWarnings(warnings)
  return { json: changes, text, ...(changes.length > 0 && { ending: 'differs' as const }) }
}

interface Application {
  deploys: boolean
  /** Checks and shows alone. */
  isDry: boolean
}

export async function applyDocument(source: DocumentSource, { deploys, isDry }: Application, context: Context) {
  const compared = await compareDraft(source, context)
  const shown = textOf(compared.changes) + showWarnings(compared.warnings)
  if (isDry) return { json: { ...compared, applied: false }, text: shown }
  const { id: projectId, slug } = await context.project()
  const client = context.client()
  const request = { path: { projectId }, headers: { 'If-Match': compared.etag }, body: source.document }
  const applied = await client.request('PUT', path, request).catch(error => explain(error, source))
  if (!deploys) {
    const text = `${shown}\nApplied to the draft of ${slug}.\nNext: sallyport deploy`
    return { json: { ...applied, applied: true }, text }
  }
  const settings = '/auth/v1/projects/{projectId}/settings'
  const { deployed_at: at } = await client.request('POST', `${settings}/deploy`, { path: { projectId } })
  return {
    json: { ...applied, applied: true, deployed_at: at },
    text: `${shown}\nApplied, and deployed ${slug} at ${at}.`,
  }
}

function textOf(changes: Changes): string {
  return changes.length === 0 ? 'The draft says the same.' : showChanges(changes)
}

function explain(error: unknown, { fail, look }: DocumentSource): never {
  if (!(error instanceof SallyportError)) throw error
  if (error.status === 400) fail(error.message)
  if (error.code === 'draft_changed') {
    throw new Failure(`${error.message}; nothing was applied`, `Look again: ${look}`, error.code)
  }
  throw error
}
