// The prompts of a project: what each consists of, and whether it is live as it stands.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { projectQuery } from '../../api/queries.ts'
import { useMayEdit } from '../../api/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Awaited, Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { draftChangesQuery } from '../settings/queries.ts'
import { type Prompt, promptsQuery } from './queries.ts'

export function PromptsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/prompts' })
  const project = useQuery(projectQuery(projectId))
  const prompts = useQuery(promptsQuery(projectId))
  const tenantId = project.data?.tenant_id ?? ''
  const mayWrite = useMayEdit(project.data)('prompts:write')
  const changes = useLastChanges({
    tenantId,
    projectId,
    actions: ['prompt.put'],
    rows: prompts.data ?? [],
    idOf: ({ name }) => name,
    changedAt: ({ updated_at }) => updated_at,
  })
  const actions: Column<Prompt> = {
    title: 'Actions',
    cell: ({ name }) => <PromptActions projectId={projectId} promptName={name} />,
  }
  return (
    <Page
      title="Prompts"
      lead={
        <>
          A prompt keeps instructions here in place of the application. Requests name it and fill in its variables.{' '}
          <a href="/docs/prompts">About prompts</a>
        </>
      }
      actions={
        mayWrite && (
          <Link to="/app/projects/$projectId/prompts/new" params={{ projectId }} className={buttonClass('primary')}>
            New prompt
          </Link>
        )
      }
    >
      <Loaded query={prompts} what="the prompts">
        {rows => (
          <>
            <NotLive projectId={projectId} />
            <Table
              caption="Prompts"
              columns={[...columns, requestsOf(projectId), ...changes, ...(mayWrite ? [actions] : [])]}
              rows={rows}
              keyOf={({ name }) => name}
              empty={<Empty title="No prompts">Requests bring their own instructions.</Empty>}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const columns: Column<Prompt>[] = [
  { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Messages', cell: ({ messages }) => messages.map(({ role }) => role).join(', ') },
  { title: 'Variables', cell: ({ variables }) => Object.keys(variables).join(', ') || 'None' },
  { title: 'Model', cell: ({ model }) => model ?? 'The project’s' },
]

const requestsOf = (projectId: string): Column<Prompt> => ({
  title: 'Requests',
  cell: ({ name }) => (
    <Link
      to="/app/projects/$projectId/requests"
      params={{ projectId }}
      search={{ prompt: name }}
      aria-label={`Requests and cost of ${name}`}
    >
      Requests and cost
    </Link>
  ),
})

/** Prompts are deployed together with the settings. */
function NotLive({ projectId }: { projectId: string }) {
  const changes = useQuery(draftChangesQuery(projectId))
  if (changes.data === undefined) return <Awaited queries={[changes]} />
  const count = changes.data.filter(({ field }) => field.startsWith('prompts.')).length
  return (
    <p role="status" className={count === 0 ? 'text-soft' : 'text-warn'}>
      {count === 0 ? (
        'All prompts are live as they stand here.'
      ) : (
        <>
          {count === 1 ? 'The change of 1 prompt is' : `The changes of ${count} prompts are`} not live yet.{' '}
          <Link to="/app/projects/$projectId/settings" params={{ projectId }}>
            Compare and deploy
          </Link>
        </>
      )}
    </p>
  )
}

function PromptActions({ projectId, promptName }: { projectId: string; promptName: string }) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Delete the prompt?',
      body: <p>Until the next deploy nothing changes. After it, requests that name the prompt get 404.</p>,
      action: 'Delete prompt',
      run: async () => {
        const path = { projectId, promptName }
        await request('DELETE', '/auth/v1/projects/{projectId}/prompts/{promptName}', { path })
        await refreshSettings(projectId)
        toast.show('The prompt is deleted from the draft. What is live changes with the next deploy.')
      },
    })
  return (
    <div className="flex gap-2 whitespace-nowrap">
      <Link
        to="/app/projects/$projectId/prompts/one/$promptName"
        params={{ projectId, promptName }}
        className={buttonClass()}
        aria-label={`Edit ${promptName}`}
      >
        Edit
      </Link>
      <Button aria-label={`Delete ${promptName}`} onClick={ask}>
        Delete
      </Button>
    </div>
  )
}
