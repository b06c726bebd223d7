// Adds a model to the list of a tenant's own provider, or edits one: its id, limits, prices and capabilities.
import { endpointsOfModels, nameOfEndpoint, usualSurfaces } from '../../api/endpoint-names.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { PriceFields } from '../prices/price-fields.tsx'
import { controlOf, flagNames, flags, readModel } from './model-values.ts'
import type { ModelInput } from './queries.ts'

interface ModelDialogProps {
  /** Null for a new one. */
  model: ModelInput | null
  /** What the provider calls a model. */
  noun: string
  save: (model: ModelInput) => void
  close: () => void
}

export function ModelDialog({ model, noun, save, close }: ModelDialogProps) {
  return (
    <Dialog title={model === null ? `Add a ${noun}` : `Edit ${model.id}`} onClose={close}>
      <Form
        submit={async values => save(readModel(values))}
        submitLabel={model === null ? `Add the ${noun}` : `Change the ${noun}`}
        isOfStored={model !== null}
        secondary={<Button onClick={close}>Cancel</Button>}
      >
        <TextField
          name="id"
          label="ID"
          defaultValue={model?.id}
          hint={`The provider’s own name of the ${noun}.`}
          autoComplete="off"
          required
        />
        <TextField
          name="display_name"
          label="Name (optional)"
          defaultValue={model?.display_name}
          autoComplete="off"
          maxLength={255}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberField name="context_window" label="Context window (tokens)" value={model?.context_window} />
          <NumberField name="max_output_tokens" label="Max output tokens" value={model?.max_output_tokens} />
        </div>
        <PriceFields prices={model?.prices}>
          Without input and output prices, costs are unknown and count as nothing. Without their own price, cached
          tokens cost as much as input, and reasoning as much as output.
        </PriceFields>
        <CapabilityFields capabilities={model?.capabilities} />
      </Form>
    </Dialog>
  )
}

function CapabilityFields({ capabilities }: { capabilities: ModelInput['capabilities'] }) {
  const surfaces: readonly string[] = capabilities?.surfaces ?? usualSurfaces
  return (
    <>
      <fieldset className="rounded-md border border-line p-3">
        <legend className="px-1 font-medium">Endpoints</legend>
        {endpointsOfModels.map(name => (
          <CheckboxField
            key={name}
            name={`surfaces.${name}`}
            label={nameOfEndpoint(name)}
            defaultChecked={surfaces.includes(name)}
          />
        ))}
      </fieldset>
      <fieldset className="grid gap-4 rounded-md border border-line p-3 sm:grid-cols-2">
        <legend className="px-1 font-medium">Capabilities</legend>
        <p className="text-sm text-soft sm:col-span-2">
          Requests are adapted to them. What is unknown is sent as the client wrote it.
        </p>
        {flags.map(flag => (
          <SelectField
            key={flag}
            name={controlOf(flag)}
            label={flagNames[flag]}
            defaultValue={String(capabilities?.[flag] ?? '')}
          >
            <option value="">Unknown</option>
            <option value="true">Yes</option>
            <option value="false">No</option>
          </SelectField>
        ))}
      </fieldset>
    </>
  )
}

function NumberField({ name, label, value }: { name: string; label: string; value: number | undefined }) {
  return <TextField name={name} label={label} defaultValue={value} inputMode="decimal" autoComplete="off" />
}
