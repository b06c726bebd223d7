// The terms that Sentinel detects, in the draft: add many at once, remove one.
import { saveDraft } from '../../api/draft.ts'
import { queryClient, settingsQuery } from '../../api/queries.ts'
import { ActionButton } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Scrollable } from '../../ui/scrollable.tsx'
import { useToast } from '../../ui/toast.tsx'

interface BlocklistProps {
  projectId: string
  terms: readonly string[]
  mayWrite: boolean
}

const maxTerms = 200

export function Blocklist({ projectId, terms, mayWrite }: BlocklistProps) {
  const toast = useToast()
  const add = async (values: FormValues): Promise<void> => {
    const lines = (values['sentinel_blocklist'] ?? '').split('\n').map(line => line.trim())
    const added = lines.filter(line => line !== '')
    const known = currentTerms(projectId)
    await saveDraft(projectId, { sentinel_blocklist: [...new Set([...known, ...added])] })
    toast.show('The blocklist is saved in the draft.')
  }
  return (
    <Section title="Blocklist of Sentinel">
      <p className="text-soft">{`${terms.length} of ${maxTerms} terms. Case and look-alike letters do not matter.`}</p>
      {terms.length === 0 ? (
        <p>No terms yet.</p>
      ) : (
        <Scrollable label="Terms" className="max-h-80 max-w-xl overflow-y-auto rounded-md border border-line">
          <ul>
            {terms.map(term => (
              <li
                key={term}
                className="flex items-center justify-between gap-3 border-line px-3 py-1 not-first:border-t"
              >
                <bdi>{term}</bdi>
                {mayWrite && <RemoveButton projectId={projectId} term={term} />}
              </li>
            ))}
          </ul>
        </Scrollable>
      )}
      {mayWrite && (
        <Form submit={add} submitLabel="Add to the blocklist" isResetAfterwards>
          <TextAreaField
            name="sentinel_blocklist"
            label="New terms"
            hint="One a line, at most 256 characters each. A term of letters must stand as a word of its own."
            rows={3}
            required
          />
        </Form>
      )}
    </Section>
  )
}

function RemoveButton({ projectId, term }: { projectId: string; term: string }) {
  const remove = () =>
    saveDraft(projectId, { sentinel_blocklist: currentTerms(projectId).filter(other => other !== term) })
  return (
    <ActionButton run={remove} aria-label={`Remove ${term}`}>
      Remove
    </ActionButton>
  )
}

/** As last read or saved: two changes may follow each other before the page is drawn again. */
function currentTerms(projectId: string): readonly string[] {
  return queryClient.getQueryData(settingsQuery(projectId).queryKey)?.sentinel_blocklist ?? []
}
