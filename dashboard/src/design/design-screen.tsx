// The design system on one page: colours, type, and every part of `ui/` in its states. Only the development server of
// the dashboard has it.
import { useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import { ActionButton, Button, choiceClass } from '../ui/button.tsx'
import { Card, Cards, Facts } from '../ui/card.tsx'
import { CheckboxField } from '../ui/checkbox-field.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { useConfirm } from '../ui/dialogs/confirm.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../ui/fields.tsx'
import { Figures } from '../ui/figures.tsx'
import { Form } from '../ui/form.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useToast } from '../ui/toast.tsx'
import { DesignData } from './design-data.tsx'

export function DesignScreen() {
  return (
    <main className="mx-auto flex max-w-5xl flex-col gap-8 p-6">
      <Page
        title="Design system"
        lead="Every part of ui/ with its states. Look at it in both schemes, at 1440 and 390 px."
      >
        <Rules />
        <Colours />
        <Type />
        <Buttons />
        <Fields />
        <DesignData />
        <States />
        <Overlays />
      </Page>
    </main>
  )
}

const rules = [
  'Distances are multiples of 4 px; parts of a screen stand 24 px apart, parts of a card 12 px.',
  'Controls are 32 px high. Text is 13 px, 14 px on a phone, where fields have 16 px.',
  'One accent colour leads to what one does next. Green, orange and red are states, never decoration.',
  'Figures have equal widths, and stand at the right in a table.',
  'The focus is a ring of 2 px in the accent colour, 2 px away. Nothing hides it.',
  'Only what runs moves, and not for people who prefer less motion.',
]

function Rules() {
  return (
    <Section title="Rules">
      <ul className="list-disc pl-5">
        {rules.map(rule => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </Section>
  )
}

const colours = {
  'bg-page': 'The page',
  'bg-side': 'The side, heads of tables',
  'bg-raised': 'What stands out: code, answers',
  'bg-line': 'Borders',
  'bg-control': 'Borders of fields',
  'bg-ink': 'Text',
  'bg-soft': 'Text of less weight',
  'bg-accent': 'The accent',
  'bg-accent-tint': 'The accent as an area',
  'bg-good': 'Good',
  'bg-good-tint': 'Good as an area',
  'bg-warn': 'Needs a look',
  'bg-warn-tint': 'Needs a look, as an area',
  'bg-danger': 'Broken, or breaks something',
  'bg-danger-tint': 'Broken, as an area',
  'bg-chart-accent': 'Chart: first series',
  'bg-chart-teal': 'Chart: second series',
  'bg-chart-good': 'Chart: good',
  'bg-chart-warn': 'Chart: rejected',
  'bg-chart-danger': 'Chart: failed',
  'bg-chart-soft': 'Chart: all others',
}

function Colours() {
  return (
    <Section title="Colours">
      <ul className="grid gap-2 sm:grid-cols-3">
        {Object.entries(colours).map(([className, use]) => (
          <li key={className} className="flex items-center gap-2">
            <span aria-hidden="true" className={`size-8 shrink-0 rounded-md border border-line ${className}`} />
            <span>
              <code>{className}</code>
              <br />
              <span className="text-soft">{use}</span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const sizes = {
  'text-xs': 'Labels of charts and heads of tables, 12 px',
  'text-sm': 'Text, 13 px',
  'text-base': 'Titles of sections, 14 px',
  'text-lg': 'Titles of dialogs, 15 px',
  'text-xl': 'The title of a screen, and figures, 18 px',
}

function Type() {
  return (
    <Section title="Type">
      {Object.entries(sizes).map(([className, use]) => (
        <p key={className} className={className}>
          {use} <code>{className}</code>
        </p>
      ))}
    </Section>
  )
}

function Buttons() {
  const [chosen, setChosen] = useState('7 days')
  return (
    <Section title="Buttons">
      <div className="flex flex-wrap gap-3">
        <Button look="primary">The next step</Button>
        <Button>Anything else</Button>
        <Button look="danger">Leads to a loss</Button>
        <Button look="destroy">Loses something</Button>
        <Button disabled>Off</Button>
        <Button isBusy>Runs</Button>
        <ActionButton run={() => new Promise(resolve => setTimeout(resolve, 1000))}>Runs for a second</ActionButton>
      </div>
      <div className="flex flex-wrap gap-3">
        {['24 hours', '7 days', '30 days'].map(one => (
          <button
            key={one}
            type="button"
            aria-current={one === chosen}
            className={choiceClass}
            onClick={() => setChosen(one)}
          >
            {one}
          </button>
        ))}
        <Badge>Neutral</Badge>
        <Badge tone="good">Good</Badge>
        <Badge tone="warn">Needs a look</Badge>
        <Badge tone="danger">Broken</Badge>
      </div>
    </Section>
  )
}

function Fields() {
  const reject = async (): Promise<void> => {
    throw new Error('rpm_limit must be an integer 1-10000')
  }
  return (
    <Section title="Fields">
      <Form submit={reject} submitLabel="Save, and see an error" secondary={<Button>Cancel</Button>}>
        <TextField name="rpm_limit" label="Requests per minute" hint="A hint stands below." inputMode="numeric" />
        <SelectField name="mode" label="Mode">
          <option>Off</option>
          <option>Shadow</option>
        </SelectField>
        <TextAreaField name="text" label="A longer text" />
        <CheckboxField name="box" label="A box to tick" defaultChecked />
      </Form>
    </Section>
  )
}

function States() {
  return (
    <Section title="States of a screen">
      <Cards>
        <Loading what="the projects" />
        <Empty title="No projects">Says what to do.</Empty>
        <Failure error={new Error('The project was not found')} retry={() => undefined} />
        <Card title="A card" aside="a note">
          <Facts
            facts={[
              { title: 'Model', value: 'gpt-4o-mini' },
              { title: 'State', value: <Badge tone="good">Ready</Badge> },
            ]}
          />
        </Card>
      </Cards>
      <Figures
        figures={[
          { title: 'Requests', value: '12,480', note: '▲ 4.1% vs the 7 days before' },
          { title: 'Cost', value: '$41.20' },
          { title: 'Errors', value: '0.3%' },
        ]}
      />
    </Section>
  )
}

function Overlays() {
  const toast = useToast()
  const confirm = useConfirm()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title="Dialogs, messages and tabs">
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
        <Button
          look="danger"
          onClick={() =>
            confirm({
              title: 'Delete the project?',
              body: <p>It is gone.</p>,
              action: 'Delete',
              run: async () => undefined,
            })
          }
        >
          Ask before a loss
        </Button>
        <Button onClick={() => toast.show('It is saved.')}>Show a message</Button>
        <Button onClick={() => toast.showError('It could not be saved.')}>Show an error</Button>
      </div>
      <Tabs
        label="Languages"
        tabs={[
          { title: 'TypeScript', content: <Copyable label="code" text="const one = 1" /> },
          { title: 'curl', content: <Copyable label="command" text="curl -sS http://localhost:8080/healthz" /> },
        ]}
      />
      {isOpen && (
        <Dialog title="A dialog" onClose={() => setOpen(false)}>
          <p className="mb-4">Escape closes it, and the focus returns.</p>
          <Button onClick={() => setOpen(false)}>Close</Button>
        </Dialog>
      )}
    </Section>
  )
}
