// What the pro plan adds; errors about the plan lead here.
import { Page } from '../../ui/page.tsx'
import { NarrowPage } from './narrow-page.tsx'

export function UpgradeScreen() {
  return (
    <NarrowPage>
      <Page title="This needs the pro plan">
        <p>
          On the free plan a tenant has at most three active projects and cannot store provider keys of its own. The
          operator of this installation sets the plan of a tenant; see <a href="/docs/start">Start, step 3</a>.
        </p>
        <p>
          <a href="/app">Go to the dashboard</a>
        </p>
      </Page>
    </NarrowPage>
  )
}
