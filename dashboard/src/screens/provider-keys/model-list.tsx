// The models of a tenant's own provider, as a list and as a list that is edited. Nothing is sent before the form around
// it is.
import { useState } from 'react'
import { nameOfEndpoint, usualSurfaces } from '../../api/endpoint-names.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatPrice } from '../../ui/numbers.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { ModelDialog } from './model-dialog.tsx'
import type { ModelInput } from './queries.ts'

/** The list and the model whose dialog is open: null for a new one, undefined if there is no dialog. */
interface ModelEdits {
  models: readonly ModelInput[]
  edited: ModelInput | null | undefined
  isChanged: boolean
  edit: (model: ModelInput | null) => void
  remove: (model: ModelInput) => void
  /** Takes over the dialog's model. Throws if another model has the id. */
  save: (model: ModelInput) => void
  close: () => void
}

export function useModelEdits(first: readonly ModelInput[]): ModelEdits {
  const [models, setModels] = useState(first)
  const [edited, setEdited] = useState<ModelInput | null>()
  return {
    models,
    edited,
    isChanged: models !== first,
    edit: setEdited,
    remove: removed => setModels(models.filter(model => model !== removed)),
    save: saved => {
      if (models.some(({ id }) => id === saved.id && id !== edited?.id)) {
        throw new Error('id must be another one: the list has a model of this id')
      }
      setModels(
        edited === null || edited === undefined
          ? [...models, saved]
          : models.map(model => (model === edited ? saved : model)),
      )
      setEdited(undefined)
    },
    close: () => setEdited(undefined),
  }
}

export function EditedModelList({ edits, noun }: { edits: ModelEdits; noun: string }) {
  const actions: Column<ModelInput> = {
    title: 'Actions',
    cell: model => (
      <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
        <Button aria-label={`Edit ${model.id}`} onClick={() => edits.edit(model)}>
          Edit
        </Button>
        <Button aria-label={`Leave out ${model.id}`} onClick={() => edits.remove(model)}>
          Leave out
        </Button>
      </div>
    ),
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <div className="w-full">
        <Table
          caption={`The ${noun}s of the provider`}
          columns={[...columns, actions]}
          rows={edits.models}
          keyOf={({ id }) => id}
          empty={<p className="text-soft">There is no {noun} in the list yet.</p>}
        />
      </div>
      <Button onClick={() => edits.edit(null)}>Add a {noun}</Button>
    </div>
  )
}

/** Stands outside of the form: a dialog is a form of its own. */
export function ModelEditDialog({ edits, noun }: { edits: ModelEdits; noun: string }) {
  if (edits.edited === undefined) return null
  return <ModelDialog model={edits.edited} noun={noun} save={edits.save} close={edits.close} />
}

export function ModelList({ models }: { models: readonly ModelInput[] }) {
  return (
    <Table
      caption="Models"
      columns={columns}
      rows={models}
      keyOf={({ id }) => id}
      empty={<p className="text-soft">The provider has no models.</p>}
    />
  )
}

const columns: Column<ModelInput>[] = [
  {
    title: 'Model',
    cell: ({ id, display_name }) => (
      <>
        {display_name !== undefined && <bdi className="block font-medium">{display_name}</bdi>}
        <code className="text-sm">{id}</code>
      </>
    ),
  },
  {
    title: 'Endpoints',
    cell: ({ capabilities }) => (capabilities?.surfaces ?? usualSurfaces).map(nameOfEndpoint).join(', '),
  },
  { title: 'Context', isNumber: true, cell: ({ context_window }) => formatKnown(context_window, formatCount) },
  {
    title: 'Max output',
    isNumber: true,
    cell: ({ max_output_tokens }) => formatKnown(max_output_tokens, formatCount),
  },
  { title: 'Input', isNumber: true, cell: ({ prices }) => formatKnown(prices?.input, formatPrice) },
  { title: 'Output', isNumber: true, cell: ({ prices }) => formatKnown(prices?.output, formatPrice) },
]

function formatKnown(value: number | undefined, format: (known: number) => string): string {
  return value === undefined ? '–' : format(value)
}
