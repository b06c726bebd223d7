// All models that the tenant's provider keys can use, with capabilities and prices, to choose the draft from.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import type { OneProject } from '../../api/queries.ts'
import { answersChats, isLasting, isOwnModel, orderByUse, type UsableModel } from '../../api/usable-models.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton, Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { formatCount, formatPrice } from '../../ui/numbers.ts'
import { Section } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Chosen } from './chosen-models.tsx'

interface ModelCatalogProps {
  project: OneProject
  chosen: Chosen
  models: UsableModel[]
  /** The providers that the tenant has a key of. */
  providers: string[]
  mayWrite: boolean
}

/** One provider alone may list several hundred. */
const shownAtFirst = 40

export function ModelCatalog({ project, chosen, models, providers, mayWrite }: ModelCatalogProps) {
  const [words, setWords] = useState('')
  const [isAll, setAll] = useState(false)
  const found = orderByUse(models).filter(model => matches(model, words))
  // A search finds the others, too.
  const offered = words === '' ? found.filter(model => isLasting(model) || stateOf(model, chosen) !== null) : found
  const action = (model: UsableModel) => (
    <ModelAction
      projectId={project.id}
      model={model}
      state={stateOf(model, chosen)}
      isOwn={isOwnModel(model, providers)}
      mayWrite={mayWrite}
    />
  )
  return (
    <Section title="All models">
      {providers.length === 0 && !models.some(model => isOwnModel(model, [])) && (
        <NoKeys tenantId={project.tenant_id} hasDefault={models.length > 0} />
      )}
      {models.length > 0 && (
        <>
          <div className="max-w-xl">
            <TextField
              name="words"
              label="Search"
              hint="By name, id or capability, such as: vision"
              onValue={setWords}
            />
          </div>
          <p role="status" className="text-sm text-soft">
            {formatCount(found.length)} of {formatCount(models.length)} models. Prices are in USD for a million tokens.
          </p>
          <Table
            caption="Models"
            isDense
            columns={[...shownColumns, { title: 'Draft', needsNoTitle: true, cell: action }]}
            rows={isAll ? found : offered}
            {...(!isAll && { maxShown: shownAtFirst })}
            keyOf={({ modelId }) => modelId}
            fileName="models"
            empty={<Empty title="No model found">Search for a part of its name.</Empty>}
          />
          {!isAll && Math.min(offered.length, shownAtFirst) < found.length && (
            <p className="flex flex-wrap items-center gap-3">
              <Button onClick={() => setAll(true)}>Show all {formatCount(found.length)}</Button>
              {offered.length < found.length && (
                <span className="text-sm text-soft">With dated versions and deprecated models.</span>
              )}
            </p>
          )}
        </>
      )}
    </Section>
  )
}

function NoKeys({ tenantId, hasDefault }: { tenantId: string; hasDefault: boolean }) {
  return (
    <Empty title="No provider keys">
      <p>
        {hasDefault && 'The list below has only the default model of the installation, which needs no choice. '}With the
        key of a provider, or your own server, such as Ollama, a project can use all its models.
      </p>
      <Link to="/app/tenants/$tenantId/provider-keys" params={{ tenantId }} className={buttonClass()}>
        Provider keys
      </Link>
    </Empty>
  )
}

function capabilitiesOf({ capabilities, ...model }: UsableModel): string[] {
  const all: [unknown, string][] = [
    [model.supportsStreaming, 'streaming'],
    [model.supportsToolUse, 'tools'],
    [model.supportsVision, 'vision'],
    [capabilities['reasoning'], 'reasoning'],
    [capabilities['structuredOutput'], 'structured output'],
  ]
  return all.flatMap(([has, name]) => (has === true ? [name] : []))
}

function matches(model: UsableModel, words: string): boolean {
  const text = [model.displayName, model.modelId, model.providerDisplayName, ...capabilitiesOf(model)]
    .join(' ')
    .toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

function stateOf({ modelId }: UsableModel, { provider_model, draft_provider_model }: Chosen): 'Live' | 'Draft' | null {
  if (modelId === draft_provider_model) return 'Draft'
  return modelId === provider_model ? 'Live' : null
}

const shownColumns: Column<UsableModel>[] = [
  {
    title: 'Model',
    value: ({ displayName }) => displayName,
    cell: ({ displayName, modelId, capabilities }) => (
      <>
        <bdi className="font-medium">{displayName}</bdi>{' '}
        {capabilities['status'] === 'deprecated' && <Badge tone="warn">Deprecated</Badge>}
        <br className="max-sm:hidden" />
        <code className="text-sm text-soft">{modelId}</code>
      </>
    ),
  },
  {
    title: 'Capabilities',
    needsNoTitle: true,
    value: model => capabilitiesOf(model).join(', '),
    cell: model => capabilitiesOf(model).join(', ') || 'Unknown',
  },
  {
    title: 'Context',
    isNumber: true,
    value: model => model.contextWindow,
    cell: ({ contextWindow }) => formatKnown(contextWindow, formatCount),
  },
  {
    title: 'Max output',
    isNumber: true,
    value: model => model.maxOutputTokens,
    cell: ({ maxOutputTokens }) => formatKnown(maxOutputTokens, formatCount),
  },
  {
    title: 'Input',
    isNumber: true,
    value: ({ prices }) => prices.input,
    cell: ({ prices }) => formatKnown(prices.input, formatPrice),
  },
  {
    title: 'Output',
    isNumber: true,
    value: ({ prices }) => prices.output,
    cell: ({ prices }) => formatKnown(prices.output, formatPrice),
  },
]

function formatKnown(value: number | null, format: (known: number) => string): string {
  return value === null ? '–' : format(value)
}

interface ModelActionProps {
  projectId: string
  model: UsableModel
  state: 'Live' | 'Draft' | null
  isOwn: boolean
  mayWrite: boolean
}

function ModelAction({ projectId, model, state, isOwn, mayWrite }: ModelActionProps) {
  const toast = useToast()
  if (state !== null) return <Badge tone={state === 'Live' ? 'good' : 'warn'}>{state}</Badge>
  if (!isOwn) return <span className="text-sm text-soft">Default of the installation</span>
  if (!answersChats(model)) {
    return <span className="text-sm text-soft">Does not answer chats</span>
  }
  if (!mayWrite) return null
  const choose = async (): Promise<void> => {
    const path = '/auth/v1/projects/{projectId}/settings/model/draft'
    await request('PUT', path, { path: { projectId }, body: { provider_model: model.modelId } })
    await refreshSettings(projectId)
    toast.show(`${model.displayName} is the draft model.`)
  }
  return (
    <ActionButton aria-label={`Use as draft: ${model.modelId}`} run={choose}>
      Use as draft
    </ActionButton>
  )
}
