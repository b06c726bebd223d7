// The form of the playground: the next message, what is sent beside it, and what runs.
import { type ReactNode, useState } from 'react'
import { messageOf } from '../../api/errors.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues, readValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Image, ImagesField } from './images-field.tsx'
import type { Asked } from './read-question.ts'
import type { Replay } from './replay.ts'
import type { Runs } from './use-both-trials.ts'

interface QuestionFormProps {
  runs: Runs
  setRuns: (runs: Runs) => void
  /** Whether the draft answers in another way than what is deployed. */
  isDraftChanged: boolean
  /** `isReply` continues the conversation. Throws at once if a field is invalid. */
  submit: (asked: Asked, isReply: boolean) => Promise<void>
  showCode: (asked: Asked) => void
  /** Null if nothing runs. */
  stop: (() => void) | null
  canReply: boolean
  promptFields: ReactNode
  /** Then it needs no message. */
  hasPrompt: boolean
  /** Those of a replay. */
  messages: Replay['messages']
}

const runsHint =
  'Draft and deployed are two requests to the provider, one alone is one: at most 50 an hour for you. Run begins a ' +
  'conversation, Reply continues it.'

const isRuns = (value: string): value is Runs => value === 'both' || value === 'draft' || value === 'deployed'

export function QuestionForm({ runs, setRuns, submit, showCode, stop, canReply, ...props }: QuestionFormProps) {
  const { promptFields, hasPrompt, messages, isDraftChanged } = props
  const [message, setMessage] = useState(messages?.last ?? 'Say hello in one sentence.')
  const [images, setImages] = useState<readonly Image[]>([])
  const send = async (values: FormValues): Promise<void> => {
    const isReply = values['reply'] !== undefined
    const running = submit({ values, images }, isReply)
    if (isReply) setMessage('')
    setImages([])
    await running
  }
  const buttons = (
    <>
      <Button type="submit" name="reply" value="yes" disabled={!canReply}>
        Reply
      </Button>
      <Button onClick={stop ?? undefined} disabled={stop === null}>
        Stop
      </Button>
      <CodeButton show={values => showCode({ values, images })} />
    </>
  )
  return (
    <Form submit={send} submitLabel="Run" secondary={buttons}>
      {promptFields}
      <TextAreaField
        name="message"
        label="Message"
        hint={hasPrompt ? 'It follows the messages of the prompt, and may be empty.' : undefined}
        value={message}
        onValue={setMessage}
        required={!hasPrompt && images.length === 0 && (messages === null || messages.earlier.length === 0)}
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
      <Parameters images={images} setImages={setImages} />
      <SelectField
        name="runs"
        label="Run with"
        hint={`${isDraftChanged ? '' : 'The draft is the same as what is deployed. '}${runsHint}`}
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

/** Shows an invalid field as a message: nothing is sent. */
function CodeButton({ show }: { show: (values: FormValues) => void }) {
  const toast = useToast()
  const read = (form: HTMLFormElement | null): void => {
    try {
      if (form !== null) show(readValues(form))
    } catch (error) {
      toast.showError(messageOf(error))
    }
  }
  return <Button onClick={({ currentTarget: { form } }) => read(form)}>Show as code</Button>
}

interface ParametersProps {
  images: readonly Image[]
  setImages: (images: readonly Image[]) => void
}

function Parameters({ images, setImages }: ParametersProps) {
  return (
    <details>
      <summary className="py-1 font-medium">Parameters, tools and images</summary>
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField name="temperature" label="Temperature (optional)" inputMode="decimal" autoComplete="off" />
          <TextField name="max_tokens" label="Max output tokens (optional)" inputMode="numeric" autoComplete="off" />
        </div>
        <TextAreaField
          name="tools"
          label="Tools (JSON, optional)"
          hint="As chat completions take them. If the model calls one, your reply is sent as its result."
          spellCheck={false}
          autoCapitalize="off"
        />
        <ImagesField images={images} onImages={setImages} />
      </div>
    </details>
  )
}
