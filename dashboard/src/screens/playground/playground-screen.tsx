// The playground: a conversation with the draft and with what is deployed, side by side.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { modelsQuery, type OneProject, projectQuery, settingsQuery } from '../../api/queries.ts'
import { useMay, useUser } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { usePromptChoice } from '../prompts/use-prompt-choice.tsx'
import { requestQuery } from '../requests/queries.ts'
import { draftChangesQuery } from '../settings/queries.ts'
import { AboutReplay } from './about-replay.tsx'
import { CodeDialog } from './code-dialog.tsx'
import type { ShownRequest } from './code-of-request.ts'
import { QuestionForm } from './question-form.tsx'
import { type Asked, readAsked } from './read-question.ts'
import { type Replay, replayOf } from './replay.ts'
import { TrialColumn } from './trial-column.tsx'
import { type Runs, useBothTrials } from './use-both-trials.ts'
import type { Trial } from './use-trial.ts'

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
  const changes = useQuery(draftChangesQuery(project.id))
  const { request: requestId } = useSearch({ from })
  return (
    <Page
      title="Playground"
      lead={
        <>
          Sends messages the way an end user’s application does, with the draft settings and model, and compares the
          answers with what is deployed. <a href="/docs/dashboard#playground">How it works</a>
        </>
      }
    >
      {mayWrite ? (
        <Loaded query={settings} what="the settings">
          {({ draft_provider_model: draftModel, provider_model: liveModel, system_prompt: systemPrompt }) => (
            <Loaded query={changes} what="what is live">
              {({ length }) => {
                const trials = { project, draftModel, liveModel, isDraftChanged: draftModel !== null || length > 0 }
                if (requestId === undefined) return <Trials {...trials} replay={null} />
                return <Replayed {...trials} requestId={requestId} systemPrompt={systemPrompt ?? ''} />
              }}
            </Loaded>
          )}
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
  /** Whether the draft answers in another way than what is deployed. */
  isDraftChanged: boolean
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

function Trials({ project, draftModel, liveModel, isDraftChanged, replay }: TrialsProps) {
  const { id: userId } = useUser()
  const { data: catalog } = useQuery(modelsQuery(project.tenant_id))
  const [runs, setRuns] = useState<Runs>(isDraftChanged ? 'both' : 'deployed')
  const { draft, deployed, run, stop, canReply } = useBothTrials(runs)
  const [code, setCode] = useState<ShownRequest | null>(null)
  const { chosen: prompt, fields } = usePromptChoice(
    project.id,
    'The draft runs it as it is now, what is deployed as it is live.',
    replay?.prompt ?? '',
  )
  const earlier = replay?.messages?.earlier ?? []
  const submit = (asked: Asked, isReply: boolean): Promise<void> => {
    const model = replay?.model ?? null
    return run({ projectId: project.id, userId, model, prompt, earlier, ...readAsked(asked) }, isReply)
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
      {/* The answers stand beside the form where there is room for both. */}
      <div className="grid gap-6 xl:grid-cols-[22rem_minmax(0,1fr)]">
        <QuestionForm
          {...{ runs, setRuns, submit, stop, canReply, isDraftChanged }}
          showCode={asked => setCode({ prompt, ...readAsked(asked), earlier })}
          promptFields={fields}
          hasPrompt={prompt !== null}
          messages={replay?.messages ?? null}
        />
        <div className="grid content-start gap-6 lg:grid-cols-2 lg:[&>:only-child]:col-span-2">
          {runs !== 'deployed' && (
            <TrialColumn title="Draft" use="draft" about={about} {...columnOf(draft, draftModel ?? liveModel)} />
          )}
          {runs !== 'draft' && (
            <TrialColumn
              title="Deployed"
              use="deployed"
              about={<AboutDeployed model={liveModel} />}
              {...columnOf(deployed, liveModel)}
            />
          )}
        </div>
      </div>
      {code !== null && <CodeDialog slug={project.slug} request={code} close={() => setCode(null)} />}
    </>
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
      <AboutDeployed model={liveModel} />, as deployed: the draft has no other model.{' '}
      <Link to="/app/projects/$projectId/models" params={{ projectId }}>
        Choose a model
      </Link>
    </>
  )
}

function AboutDeployed({ model }: { model: string | null }) {
  return model === null ? 'The default model of the installation' : <code>{model}</code>
}
