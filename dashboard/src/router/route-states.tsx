// What is shown where no screen can be: an unknown address, an error while rendering, a screen that still loads.
import { Link } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Loading } from '../ui/states.tsx'

export function NotFound() {
  return (
    <Page title="Page not found" lead="There is nothing at this address.">
      <p>
        <Link to="/app" className={buttonClass()}>
          Go to the start page
        </Link>
      </p>
    </Page>
  )
}

export function ScreenError({ error }: { error: unknown }) {
  return (
    <Page title="This page failed" lead="If Sallyport was updated meanwhile, loading the page again helps.">
      <p role="alert" dir="auto" className="text-danger">
        {messageOf(error)}
      </p>
      <p>
        <Button onClick={() => location.reload()}>Load again</Button>
      </p>
    </Page>
  )
}

export function ScreenLoading() {
  return <Loading what="the page" />
}
