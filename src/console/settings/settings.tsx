import type { FunctionComponent } from 'preact'
import { useRoute } from 'preact-iso'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Page } from '../ui.tsx'
import { shell as shellWords, settings as words } from '../words.ts'
import { Own } from './account.tsx'
import { AdAccounts } from './ad-accounts.tsx'
import { Channels } from './channels.tsx'
import { Keys } from './keys.tsx'
import { OrganizationSettings } from './organization.tsx'
import { People } from './people.tsx'
import { Server } from './server.tsx'
import { Sources } from './sources.tsx'
import { Webhooks } from './webhooks.tsx'
import './settings.css'

interface Section {
  name: keyof typeof words.sections
  /** The permission required to see the section; without one, everyone sees it. */
  permission?: string
  Content: FunctionComponent
}

const SECTIONS: Section[] = [
  { name: 'organization', permission: 'settings:write', Content: OrganizationSettings },
  { name: 'people', permission: 'people:read', Content: People },
  { name: 'channels', permission: 'channels:read', Content: Channels },
  { name: 'ad-accounts', permission: 'insights:read', Content: AdAccounts },
  { name: 'keys', permission: 'settings:read', Content: Keys },
  { name: 'sources', permission: 'sources:read', Content: Sources },
  { name: 'webhooks', permission: 'settings:read', Content: Webhooks },
  { name: 'account', Content: Own },
  { name: 'server', permission: 'operator', Content: Server },
]

/** `/settings/<section>`: each shows what the person may see, and offers what they may change. */
export default function Settings() {
  const { id: organizationId, may } = useOrganization()
  const { params } = useRoute()
  const shown = SECTIONS.filter(({ permission }) => permission === undefined || may(permission))
  const open = params.rest === undefined ? shown[0] : shown.find(({ name }) => name === params.rest)
  return (
    <Page
      title={open === undefined ? words.title : words.titleOf({ section: words.sections[open.name] })}
      className="settings"
    >
      <nav aria-label={words.title}>
        <ul class="tabs">
          {shown.map(({ name }) => (
            <li key={name}>
              <a
                href={hrefOf(organizationId, 'settings', [name])}
                aria-current={name === open?.name ? 'page' : undefined}
              >
                {words.sections[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {open === undefined ? (
        <p>{shellWords.notFound}</p>
      ) : (
        <section key={organizationId} class="section">
          <open.Content />
        </section>
      )}
    </Page>
  )
}
