// A new prompt, or one that is edited: its name and, as JSON, what it consists of.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { projectQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { TextAreaField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, FileHint, Loaded, RoleHint } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { PromptPreview } from './prompt-preview.tsx'
import { fromPromptText, toPromptText } from './prompt-text.ts'
import { type Prompt, promptsQuery } from './queries.ts'

export function NewPromptScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/prompts/new' })
  return <OnePrompt projectId={projectId} promptName={null} />
}

export function PromptScreen() {
  const { projectId, promptName } = useParams({ from: '/app/projects/$projectId/prompts/one/$promptName' })
  return <OnePrompt key={promptName} projectId={projectId} promptName={promptName} />
}

function OnePrompt({ projectId, promptName }: { projectId: string; promptName: string | null }) {
  const project = useQuery(projectQuery(projectId))
  const prompts = useQuery(promptsQuery(projectId))
  const may = useMay(project.data?.tenant_id ?? '')
  const mayWrite = useMayEdit(project.data)('prompts:write')
  return (
    <Page
      title={promptName === null ? 'New prompt' : 'Edit prompt'}
      lead={
        <>
          {'{{name}}'} in a message stands for the variable of this name.{' '}
          <Link to="/app/projects/$projectId/prompts" params={{ projectId }}>
            All prompts
          </Link>
        </>
      }
    >
      <Loaded query={project} what="the project">
        {() => (
          <Loaded query={prompts} what="the prompts">
            {rows =>
              mayWrite ? (
                <Editor
                  projectId={projectId}
                  promptName={promptName}
                  found={rows.find(one => one.name === promptName)}
                />
              ) : may('prompts:write') ? (
                <FileHint />
              ) : (
                <RoleHint to="change the prompts" />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

interface EditorProps {
  projectId: string
  /** Null for a new prompt. */
  promptName: string | null
  found: Prompt | undefined
}

function Editor({ projectId, promptName, found }: EditorProps) {
  // What the form began with: it stays if somebody else deletes or changes the prompt.
  const [first] = useState(found)
  const [isEdited, setEdited] = useState(false)
  const [text, setText] = useState(() => toPromptText(found))
  const navigate = useNavigate()
  const toast = useToast()
  if (promptName !== null && first === undefined) {
    return <Empty title="No such prompt">It may have been deleted, or a rollback may have replaced it.</Empty>
  }
  const submit = async (values: FormValues): Promise<void> => {
    const path = { projectId, promptName: promptName ?? (values['name'] ?? '').trim() }
    const body = fromPromptText(values['template'] ?? '')
    await request('PUT', '/auth/v1/projects/{projectId}/prompts/{promptName}', { path, body })
    await navigate({ to: '/app/projects/$projectId/prompts', params: { projectId }, ignoreBlocker: true })
    await refreshSettings(projectId)
    toast.show('Saved as a draft. The prompt is not live until you deploy.')
  }
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <UnsavedEdits areThere={isEdited} />
      <Form
        submit={submit}
        submitLabel={promptName === null ? 'Create prompt' : 'Save prompt'}
        isOfStored={promptName !== null}
        secondary={<Cancel projectId={projectId} />}
      >
        {promptName === null ? (
          <TextField
            name="name"
            label="Name"
            hint="As requests name it, such as: summary."
            autoComplete="off"
            onValue={() => setEdited(true)}
            required
          />
        ) : (
          <p>
            Requests name it <bdi>{promptName}</bdi>.
          </p>
        )}
        <TextAreaField
          name="template"
          label="Messages, variables, model and parameters"
          hint="As JSON."
          rows={20}
          isCode
          spellCheck={false}
          value={text}
          onValue={next => {
            setText(next)
            setEdited(true)
          }}
        />
      </Form>
      <PromptPreview text={text} />
    </div>
  )
}

function Cancel({ projectId }: { projectId: string }) {
  return (
    <Link to="/app/projects/$projectId/prompts" params={{ projectId }} className={buttonClass()}>
      Cancel
    </Link>
  )
}
