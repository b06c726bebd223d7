// What a prompt becomes with values for its variables, as it is typed. Nothing is sent.
import { useMemo, useState } from 'react'
import { Section } from '../../ui/page.tsx'
import { readShown, type ShownPrompt, splitContent } from './prompt-text.ts'
import { VariableFields, type VariableValues } from './variable-fields.tsx'

export function PromptPreview({ text }: { text: string }) {
  const [values, setValues] = useState<VariableValues>({})
  const read = useMemo(() => readShown(text), [text])
  // While the text is half written, the values that were typed stay.
  const [shown, setShown] = useState(read)
  if (read !== null && read !== shown) setShown(read)
  return (
    <Section title="Preview">
      {read === null && <p className="text-soft">The preview goes on when the JSON is complete.</p>}
      {shown !== null && (
        <>
          <div className="flex max-w-xl flex-col gap-4">
            <VariableFields variables={shown.variables} values={values} onValues={setValues} />
          </div>
          <ol aria-label="Messages of the prompt" className="flex max-w-xl flex-col gap-3">
            {numbered(shown.messages).map(({ at, role, content }) => (
              <li key={at} className="rounded-md border border-line bg-raised p-3">
                <p className="text-sm text-soft">
                  <bdi>{role}</bdi>
                </p>
                <Content content={content} shown={shown} values={values} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Section>
  )
}

function numbered(messages: ShownPrompt['messages']) {
  return messages.map((message, at) => ({ ...message, at }))
}

interface ContentProps {
  content: string
  shown: ShownPrompt
  values: VariableValues
}

function Content({ content, shown, values }: ContentProps) {
  const parts = splitContent(content).map((part, at) => ({ ...part, at }))
  return (
    <p dir="auto" className="break-words whitespace-pre-wrap">
      {parts.map(({ at, text, variable }) =>
        variable === null ? (
          <bdi key={at}>{text}</bdi>
        ) : (
          <Value key={at} name={variable} value={values[variable] ?? ''} isDefined={variable in shown.variables} />
        ),
      )}
    </p>
  )
}

function Value({ name, value, isDefined }: { name: string; value: string; isDefined: boolean }) {
  if (!isDefined) {
    return (
      <mark className="rounded border border-danger bg-page px-1 text-danger">
        <bdi>{`{{${name}}}`}</bdi> is not defined
      </mark>
    )
  }
  return (
    <mark className="rounded border border-line bg-page box-decoration-clone px-1 text-ink">
      <bdi>{value === '' ? `{{${name}}}` : value}</bdi>
    </mark>
  )
}
