// The project's own types of data in the draft: added, edited and removed in a dialog, one at a time.
import { useState } from 'react'
import { type SettingsDraft, saveDraft } from '../../api/draft.ts'
import { messageOf } from '../../api/errors.ts'
import { queryClient, settingsQuery } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { pick } from './names.ts'

interface OwnTypesProps {
  projectId: string
  draft: SettingsDraft
  mayWrite: boolean
}

type OwnType = SettingsDraft['custom_entities'][number]
type Checksum = NonNullable<OwnType['checksum']>

const maxTypes = 20
const checksumNames: Record<Checksum, string> = { luhn: 'Luhn, as of card numbers', mod97: 'Modulo 97, as of IBANs' }

export function OwnTypes({ projectId, draft, mayWrite }: OwnTypesProps) {
  /** Null for a new type; undefined while the dialog is closed. */
  const [edited, setEdited] = useState<OwnType | null>()
  const types = draft.custom_entities
  return (
    <Section title="Custom entities">
      <p className="text-soft">
        What only your project knows as confidential: numbers of customers, names of projects. Choose above what is done
        with each. <a href="/docs/guardrails#own-types">What patterns can say</a>
      </p>
      {types.length === 0 ? (
        <p>No custom entities yet.</p>
      ) : (
        <ul className="max-w-xl rounded-md border border-line">
          {types.map(type => (
            <li
              key={type.name}
              className="flex flex-wrap items-center justify-between gap-3 border-line px-3 py-1 not-first:border-t"
            >
              <span>
                <code>{type.name}</code>: {describe(type)}
              </span>
              {mayWrite && (
                <span className="flex flex-wrap gap-2">
                  <Button aria-label={`Edit ${type.name}`} onClick={() => setEdited(type)}>
                    Edit
                  </Button>
                  <ActionButton run={() => replaceType(projectId, type, null)} aria-label={`Remove ${type.name}`}>
                    Remove
                  </ActionButton>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && types.length < maxTypes && (
        <p>
          <Button onClick={() => setEdited(null)}>Add a type</Button>
        </p>
      )}
      {edited !== undefined && <TypeDialog projectId={projectId} type={edited} close={() => setEdited(undefined)} />}
    </Section>
  )
}

function describe({ patterns = [], words = [], context = [], checksum }: OwnType): string {
  const parts = [
    patterns.length > 0 && `${patterns.length} ${patterns.length === 1 ? 'pattern' : 'patterns'}`,
    words.length > 0 && `${words.length} ${words.length === 1 ? 'word' : 'words'}`,
    context.length > 0 && 'with context',
    checksum !== undefined && 'with a checksum',
  ]
  return parts.filter(part => part !== false).join(', ')
}

interface TypeDialogProps {
  projectId: string
  type: OwnType | null
  close: () => void
}

function TypeDialog({ projectId, type, close }: TypeDialogProps) {
  const toast = useToast()
  const submit = async (values: FormValues): Promise<void> => {
    await replaceType(projectId, type, readType(values))
    close()
    toast.show('Saved in the draft. It is not deployed yet.')
  }
  const lines = { spellCheck: false, autoCapitalize: 'off', rows: 3 } as const
  return (
    <Dialog title={type === null ? 'Add a type' : `Edit ${type.name}`} onClose={close}>
      <Form
        submit={submit}
        submitLabel="Save type"
        isOfStored={type !== null}
        secondary={<Button onClick={close}>Cancel</Button>}
      >
        <TextField
          name="name"
          label="Name"
          defaultValue={type?.name}
          hint="3 to 32 capital letters, digits and underscores, such as EMPLOYEE_ID. The model sees it in tokens."
          autoComplete="off"
          required
        />
        <TextAreaField
          name="patterns"
          label="Patterns"
          defaultValue={type?.patterns?.join('\n')}
          hint="Regular expressions, one a line, at most 10, such as \\bEMP-\\d{6}\\b. Without lookaround and backreferences."
          {...lines}
        />
        <TextAreaField
          name="words"
          label="Words"
          defaultValue={type?.words?.join('\n')}
          hint="One a line, at most 1,000. Case does not matter."
          {...lines}
        />
        <TextAreaField
          name="context"
          label="Context words"
          defaultValue={type?.context?.join('\n')}
          hint="One a line. If there are any, a match counts only near one of them."
          {...lines}
        />
        <SelectField name="checksum" label="Checksum" defaultValue={type?.checksum ?? ''}>
          <option value="">None</option>
          {Object.entries(checksumNames).map(([checksum, name]) => (
            <option key={checksum} value={checksum}>
              {name}
            </option>
          ))}
        </SelectField>
      </Form>
    </Dialog>
  )
}

function readType(values: FormValues): OwnType {
  const checksum = pick(checksumNames, values['checksum'])
  const lists = (['patterns', 'words', 'context'] as const).map(name => [name, linesOf(values[name])] as const)
  return {
    name: (values['name'] ?? '').trim(),
    ...Object.fromEntries(lists.filter(([, lines]) => lines.length > 0)),
    ...(checksum === undefined ? {} : { checksum }),
  }
}

function linesOf(text = ''): string[] {
  return text.split(/\r?\n/).filter(line => line.trim() !== '')
}

/** Adds a type if `before` is null, and removes it if `after` is. A new name keeps its action. */
async function replaceType(projectId: string, before: OwnType | null, after: OwnType | null): Promise<void> {
  // As last read or saved: two changes may follow each other before the page is drawn again.
  const draft = queryClient.getQueryData(settingsQuery(projectId).queryKey)
  const known = draft?.custom_entities ?? []
  const replaced = known.flatMap(type => (type.name === before?.name ? (after ?? []) : type))
  const custom_entities = before === null && after !== null ? [...known, after] : replaced
  const actions = Object.entries(draft?.pii_entities ?? {}).flatMap(([name, action]) => {
    if (name !== before?.name) return [[name, action]]
    return after === null ? [] : [[after.name, action]]
  })
  try {
    await saveDraft(projectId, { custom_entities, pii_entities: Object.fromEntries(actions) })
  } catch (error) {
    // Begins with the name of the dialog's field, so that the form shows it there.
    const message = messageOf(error)
      .replace(/^custom_entities\[\d+\]\./, '')
      .replace(/^custom_entities\[\d+\]/, 'The type')
    throw new Error(message, { cause: error })
  }
}
