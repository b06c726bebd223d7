// The code for the user's own application: an API key, and what mints tokens and streams answers with it.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { addressOf } from '../../api/ask-project.ts'
import { apiKeysQuery, type OneProject } from '../../api/queries.ts'
import { ActionButton } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { formatCountOf } from '../../ui/numbers.ts'
import { Section } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { environmentFor, mintCommand, pageCodeFor, pythonCode, requestCommandFor, serverCode } from './code-texts.ts'
import { createNewKey, newKeyQuery } from './new-key.ts'

export function AppCode({ project: { id, slug } }: { project: OneProject }) {
  const { data: apiKey = null } = useQuery(newKeyQuery(id))
  return (
    <Section title="4. Your own application">
      {apiKey === null ? (
        <KeyStep projectId={id} />
      ) : (
        <p>
          The environment of your server. Store the API key now: you can read it here until you reload this page or sign
          out.
        </p>
      )}
      {apiKey !== null && <Copyable label="environment" text={environmentFor(addressOf(slug), apiKey)} />}
      <Tabs
        label="Language of the code"
        tabs={[
          { title: 'Express', content: <ExpressCode slug={slug} /> },
          { title: 'Python', content: <PythonCode /> },
          { title: 'curl', content: <CurlCode slug={slug} /> },
        ]}
      />
    </Section>
  )
}

function KeyStep({ projectId }: { projectId: string }) {
  const { data: keys = [] } = useQuery(apiKeysQuery(projectId))
  return (
    <>
      <p>
        Your server needs an API key. Its text is shown only here, until you reload this page or sign out: have a place
        ready where you store it.
      </p>
      {keys.length > 0 && (
        <p className="text-soft">
          The project has {formatCountOf(keys.length, 'API key')} already. If the text of one is lost, create another,
          and revoke the lost one under{' '}
          <Link to="/app/projects/$projectId/api-keys" params={{ projectId }}>
            API keys
          </Link>
          .
        </p>
      )}
      <p>
        <ActionButton run={() => createNewKey(projectId)}>Create an API key</ActionButton>
      </p>
    </>
  )
}

function ExpressCode({ slug }: { slug: string }) {
  return (
    <>
      <p>
        Your server mints a token for each of its users, with <code>@sallyport/sdk</code>:
      </p>
      <Copyable label="server code" text={serverCode} />
      <p>Your page streams answers with the official OpenAI client:</p>
      <Copyable label="page code" text={pageCodeFor(addressOf(slug))} />
      <p>
        The <a href="/docs/guide-express">guide for a browser app</a> explains the code and how to install the packages.
      </p>
    </>
  )
}

function PythonCode() {
  return (
    <>
      <p>
        Your server mints tokens with the package <code>sallyport</code>, and streams answers with the official OpenAI
        client:
      </p>
      <Copyable label="Python code" text={pythonCode} />
      <p>
        <a href="/docs/python">Python package</a> says how to install it, and has a token endpoint for pages.
      </p>
    </>
  )
}

function CurlCode({ slug }: { slug: string }) {
  return (
    <>
      <p>
        Your server mints a token. The response has it as <code>access_token</code>; it is valid for one hour:
      </p>
      <Copyable label="command that mints" text={mintCommand(location.origin)} />
      <p>With the token, the user’s page or app sends requests:</p>
      <Copyable label="command that asks" text={requestCommandFor(addressOf(slug))} />
    </>
  )
}
