import { useOrganization } from '../organization.ts'
import { Page } from '../ui.tsx'
import { activity as words } from '../words.ts'
import { Failures } from './failures.tsx'
import { Trail } from './trail.tsx'
import './activity.css'

/** Failures that need action, and below them the change log. */
export default function Activity() {
  const { may } = useOrganization()
  return (
    <Page title={words.title} className="activity">
      <Failures />
      {may('audit:read') ? <Trail /> : <p class="quiet">{words.forAdministrators}</p>}
    </Page>
  )
}
