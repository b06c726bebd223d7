// The terms that Sentinel detects in requests or in answers, in the draft: add many at once, remove one.
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
  list: BlocklistField
  terms: readonly string[]
  mayWrite: boolean
}

type BlocklistField = keyof typeof lists

const lists = {
  sentinel_blocklist: { title: 'Sentinel blocklist', submitLabel: 'Add to the blocklist', label: 'New terms' },
  answer_blocklist: {
    title: 'Blocklist for answers',
    submitLabel: 'Add to the blocklist for answers',
    label: 'New terms for answers',
  },
} as const

const maxTerms = 200

export function Blocklist({ projectId, list, terms, mayWrite }: BlocklistProps) {
  const toast = useToast()
  const { title, submitLabel, label } = lists[list]
  const add = async (values: FormValues): Promise<void> => {
    const lines = (values[list] ?? '').split('\n').map(line => line.trim())
    const added = lines.filter(line => line !== '')
    const known = currentTerms(projectId, list)
    await saveDraft(projectId, { [list]: [...new Set([...known, ...added])] })
    toast.show('The blocklist is saved in the draft.')
  }
  return (
    <Section title={title}>
      <p className="text-soft">
        {`${terms.length} of ${maxTerms} terms. Case and look-alike letters do not matter.`}
        {list === 'answer_blocklist' && ' Where Sentinel is enforced, a term in an answer ends the answer.'}
      </p>
      {terms.length === 0 ? (
        <p>No terms yet.</p>
      ) : (
        <Scrollable
          label={`Terms: ${title}`}
          className="max-h-80 max-w-xl overflow-y-auto rounded-md border border-line"
        >
          <ul>
            {terms.map(term => (
              <li
                key={term}
                className="flex items-center justify-between gap-3 border-line px-3 py-1 not-first:border-t"
              >
                <bdi>{term}</bdi>
                {mayWrite && <RemoveButton projectId={projectId} list={list} term={term} />}
              </li>
            ))}
          </ul>
        </Scrollable>
      )}
      {mayWrite && (
        <Form submit={add} submitLabel={submitLabel} isResetAfterwards>
          <TextAreaField
            name={list}
            label={label}
            hint="One a line, at most 256 characters each. A term of letters must stand as a word of its own."
            rows={3}
            required
          />
        </Form>
      )}
    </Section>
  )
}

function RemoveButton({ projectId, list, term }: { projectId: string; list: BlocklistField; term: string }) {
  const remove = () => saveDraft(projectId, { [list]: currentTerms(projectId, list).filter(other => other !== term) })
  return (
    <ActionButton
      run={remove}
      aria-label={list === 'answer_blocklist' ? `Remove ${term} for answers` : `Remove ${term}`}
    >
      Remove
    </ActionButton>
  )
}

/** As last read or saved: two changes may follow each other before the page is drawn again. */
function currentTerms(projectId: string, list: BlocklistField): readonly string[] {
  return queryClient.getQueryData(settingsQuery(projectId).queryKey)?.[list] ?? []
}
