// The playground: one message, answered by the draft and by what is deployed, side by side.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { modelsQuery, type OneProject, projectQuery, settingsQuery } from '../../api/queries.ts'
import { useMay, useUser } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { SelectField, TextAreaField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { usePromptChoice } from '../prompts/use-prompt-choice.tsx'
import { requestQuery } from '../requests/queries.ts'
import { AboutReplay } from './about-replay.tsx'
import { type Replay, replayOf } from './replay.ts'
import { TrialColumn } from './trial-column.tsx'
import { type Trial, useTrial } from './use-trial.ts'

const from = '/app/projects/$projectId/playground'

export function PlaygroundScreen() {
  const { projectId } = useParams({ from })
  const project = useQuery(projectQuery(projectId))
  return (
    <Loaded query={project} what="the project" pageTitle="Playground">
      {data => <Playground key={data.id} project={data} />}
    </Loaded>
  )
}

function Playground({ project }: { project: OneProject }) {
  const mayWrite = useMay(project.tenant_id)('settings:write')
  const settings = useQuery(settingsQuery(project.id))
  const { request: requestId } = useSearch({ from })
  return (
    <Page
      title="Playground"
      lead={
        <>
          Sends a message the way an end user’s application does, with the draft settings and model, and compares the
          answer with what is deployed. <a href="/docs/dashboard#playground">How it works</a>
        </>
      }
    >
      {mayWrite ? (
        <Loaded query={settings} what="the settings">
          {({ draft_provider_model: draftModel, provider_model: liveModel, system_prompt: systemPrompt }) => {
            const trials = { project, draftModel, liveModel }
            if (requestId === undefined) return <Trials {...trials} replay={null} />
            return <Replayed {...trials} requestId={requestId} systemPrompt={systemPrompt ?? ''} />
          }}
        </Loaded>
      ) : (
        <RoleHint to="try the models" />
      )}
    </Page>
  )
}

interface ProjectModels {
  project: OneProject
  draftModel: string | null
  liveModel: string | null
}

function Replayed({ requestId, systemPrompt, ...trials }: ProjectModels & { requestId: string; systemPrompt: string }) {
  const found = useQuery(requestQuery(trials.project.id, requestId))
  return (
    <Loaded query={found} what="the request">
      {request => <Trials key={requestId} {...trials} replay={replayOf(request, systemPrompt)} />}
    </Loaded>
  )
}

interface TrialsProps extends ProjectModels {
  replay: Replay | null
}

type Runs = 'both' | 'draft' | 'deployed'

function Trials({ project, draftModel, liveModel, replay }: TrialsProps) {
  const { id: userId } = useUser()
  const { data: catalog } = useQuery(modelsQuery(project.tenant_id))
  const draft = useTrial()
  const deployed = useTrial()
  const [runs, setRuns] = useState<Runs>(draftModel === null ? 'deployed' : 'both')
  const { chosen: prompt, fields } = usePromptChoice(
    project.id,
    'The draft runs it as it is now, what is deployed as it is live.',
    replay?.prompt ?? '',
  )
  const submit = async ({ message = '', system = '', cache }: FormValues): Promise<void> => {
    const usesCache = cache !== undefined
    const { model = null, messages = null } = replay ?? {}
    const said = { model, prompt, system: system.trim(), earlier: messages?.earlier ?? [], message }
    const question = { projectId: project.id, userId, ...said, usesCache }
    await Promise.all([
      runs === 'deployed' ? undefined : draft.start({ ...question, use: 'draft' }),
      runs === 'draft' ? undefined : deployed.start({ ...question, use: 'deployed' }),
    ])
  }
  const isRunning = draft.trial.state === 'running' || deployed.trial.state === 'running'
  const stop = (): void => {
    draft.stop()
    deployed.stop()
  }
  const columnOf = (trial: Trial, model: string | null) => ({
    trial,
    pricesOf: (answering: string | null) =>
      catalog?.models.find(({ modelId }) => modelId === (answering ?? model))?.prices ?? null,
    tenantId: project.tenant_id,
    projectId: project.id,
  })
  const about = <AboutDraft projectId={project.id} model={draftModel} liveModel={liveModel} />
  return (
    <>
      {replay !== null && <AboutReplay projectId={project.id} replay={replay} />}
      <QuestionForm
        {...{ runs, setRuns, submit }}
        stop={isRunning ? stop : null}
        promptFields={fields}
        hasPrompt={prompt !== null}
        messages={replay?.messages ?? null}
      />
      <div className="grid gap-6 lg:grid-cols-2">
        {runs !== 'deployed' && (
          <TrialColumn title="Draft" about={about} {...columnOf(draft.trial, draftModel ?? liveModel)} />
        )}
        {runs !== 'draft' && (
          <TrialColumn
            title="Deployed"
            about={<AboutDeployed model={liveModel} />}
            {...columnOf(deployed.trial, liveModel)}
          />
        )}
      </div>
    </>
  )
}

interface QuestionFormProps {
  runs: Runs
  setRuns: (runs: Runs) => void
  submit: (values: FormValues) => Promise<void>
  /** Null if nothing runs. */
  stop: (() => void) | null
  promptFields: ReactNode
  /** Then it needs no message. */
  hasPrompt: boolean
  /** Those of a replay. */
  messages: Replay['messages']
}

const isRuns = (value: string): value is Runs => value === 'both' || value === 'draft' || value === 'deployed'

function QuestionForm({ runs, setRuns, submit, stop, promptFields, hasPrompt, messages }: QuestionFormProps) {
  const stopButton = (
    <Button onClick={stop ?? undefined} disabled={stop === null}>
      Stop
    </Button>
  )
  return (
    <Form submit={submit} submitLabel="Run" secondary={stopButton}>
      {promptFields}
      <TextAreaField
        name="message"
        label="Message"
        hint={hasPrompt ? 'It follows the messages of the prompt, and may be empty.' : undefined}
        defaultValue={messages?.last ?? 'Say hello in one sentence.'}
        required={!hasPrompt && (messages === null || messages.earlier.length === 0)}
      />
      <details open={messages !== null && messages.system !== ''}>
        <summary className="py-1 font-medium">System message of the client</summary>
        <TextAreaField
          name="system"
          label="System message"
          defaultValue={messages?.system ?? ''}
          hint="As an application may send one. The system prompt of the settings comes first."
        />
      </details>
      <SelectField
        name="runs"
        label="Run"
        hint="Each run is a request to the provider, at most 50 an hour for you."
        value={runs}
        onValue={value => isRuns(value) && setRuns(value)}
      >
        <option value="both">Draft and deployed</option>
        <option value="draft">Draft only</option>
        <option value="deployed">Deployed only</option>
      </SelectField>
      <CheckboxField name="cache" label="Let the cache answer, if the settings switch it on" />
    </Form>
  )
}

interface AboutDraftProps {
  projectId: string
  model: string | null
  liveModel: string | null
}

function AboutDraft({ projectId, model, liveModel }: AboutDraftProps) {
  if (model !== null) return <code>{model}</code>
  return (
    <>
      <AboutDeployed model={liveModel} />, for there is no draft model.{' '}
      <Link to="/app/projects/$projectId/models" params={{ projectId }}>
        Choose one
      </Link>
    </>
  )
}

function AboutDeployed({ model }: { model: string | null }) {
  return model === null ? 'The default model of the installation' : <code>{model}</code>
}
