import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { FAILED_MAX } from '../interface/revision.ts'
import { call } from './api.ts'
import { now } from './clock.ts'
import { connection } from './connection.ts'
import { PasswordField } from './entrance.tsx'
import { CheckField } from './fields.tsx'
import { FormDialog } from './forms.tsx'
import { Icon, type IconName, Mark } from './icons.tsx'
import { leave } from './leave.ts'
import { BASE, hrefOf, keepWayBack, type PageName } from './navigation.ts'
import { useMe, useOrganization } from './organization.ts'
import { useKnownPeople } from './people.ts'
import { useSignInOptions } from './provider.tsx'
import { preferences, useStore } from './store.ts'
import { zoneName } from './times.ts'
import { announce, Dialog, Note, titleCount } from './ui.tsx'
import { useFollowRevision, useRevision } from './use-revision.ts'
import { number } from './wording.ts'
import { common, entrance as entranceWords, shell as words } from './words.ts'

/** The pages of the navigation with the permission that each needs. The names are also those of the icons. */
const PAGES = [
  ['inbox', 'posts:read'],
  ['approvals', 'posts:read'],
  ['calendar', 'posts:read'],
  ['audience', 'audience:read'],
  ['insights', 'insights:read'],
  ['activity', 'posts:read'],
  ['settings', 'channels:read'],
] as const satisfies [PageName & IconName, string][]

/** The frame around every page: navigation, account, and a note while the service does not answer. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { id: organizationId, timeZone, organizationTimeZone, active, may, mayAnywhere } = useOrganization()
  const { path, url } = useLocation()
  useEffect(() => keepWayBack(organizationId, url), [url])
  useKnownPeople()
  useFollowRevision()
  useTitleCount()
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {words.skip}
      </button>
      <header class="side">
        <a class="brand" href={BASE}>
          <Mark />
          {common.name}
        </a>
        <OrganizationChoice />
        <nav aria-label={words.nav.label}>
          <ul>
            {PAGES.filter(([, permission]) => may(permission)).map(([page]) => {
              const href = hrefOf(organizationId, page)
              return (
                <li key={page}>
                  <a href={href} aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}>
                    <Icon name={page} />
                    <span>{words.nav[page]}</span>
                    {page === 'approvals' && <Count of="waiting" />}
                    {page === 'inbox' && <Count of="unread" />}
                  </a>
                </li>
              )
            })}
          </ul>
        </nav>
        {mayAnywhere('posts:write') && (
          <a class="button primary new-post" href={hrefOf(organizationId, 'posts', ['new'])}>
            <Icon name="plus" />
            <span>{words.nav.newPost}</span>
          </a>
        )}
        <div class="side-foot">
          <p class="quiet zone">
            {timeZone === organizationTimeZone
              ? words.nav.times({ zone: zoneName(timeZone) })
              : words.nav.ownTimes({ own: zoneName(timeZone), organization: zoneName(organizationTimeZone) })}
          </p>
          <Account />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <ConnectionState />
        <FailureStrip />
        {!active && (
          <Note kind="warn">
            <p>{words.inactive}</p>
          </Note>
        )}
        {children}
      </main>
    </div>
  )
}

/** A count beside a page's name: posts waiting, or unread news. */
function Count({ of: part }: { of: 'waiting' | 'unread' }) {
  const many = useRevision().data?.[part] ?? 0
  if (many === 0) return null
  return (
    <span class="count">
      <span aria-hidden="true">{number(many)}</span>
      <span class="hidden">{words.nav.long[part]({ many })}</span>
    </span>
  )
}

/** Shows the number of unread entries in every page's title. */
function useTitleCount(): void {
  const unread = useRevision().data?.unread ?? 0
  useEffect(() => titleCount.set(unread), [unread])
  useEffect(() => () => titleCount.set(0), [])
}

/** Shown on every page when something has failed, to people who can fix it, with a link. */
function FailureStrip() {
  const { id: organizationId, may } = useOrganization()
  const { path } = useLocation()
  const { failed = 0, refused = 0 } = useRevision().data ?? {}
  const activity = hrefOf(organizationId, 'activity')
  // That page starts with the failures themselves.
  const isShown = failed + refused > 0 && path !== activity
  const toConnect = may('settings:write') ? hrefOf(organizationId, 'settings', ['channels']) : activity
  return (
    <div class="failures" role="status">
      {isShown && (
        <Note kind="bad" icon="FAILED">
          {failed > 0 && (
            <p>
              {(failed >= FAILED_MAX ? words.failures.postsOrMore : words.failures.posts)({ many: failed })}{' '}
              <a href={activity}>{words.failures.seePosts}</a>
            </p>
          )}
          {refused > 0 && (
            <p>
              {words.failures.tokens({ many: refused })}{' '}
              <a href={toConnect}>{words.failures.seeTokens({ mayConnect: may('settings:write') })}</a>
            </p>
          )}
        </Note>
      )}
    </div>
  )
}

function OrganizationChoice() {
  const { organizations } = useMe()
  const { id, name } = useOrganization()
  const menuId = useId()
  const menu = useRef<HTMLDivElement>(null)
  if (organizations.length === 1) return <p class="organization">{name}</p>
  return (
    <div class="organization">
      <button type="button" class="button organization-button" popovertarget={menuId}>
        <span class="hidden">{words.nav.organization}: </span>
        <bdi class="account-name">{name}</bdi>
        <Icon name="down" />
      </button>
      <div id={menuId} ref={menu} popover="auto" class="menu" role="group" aria-label={words.nav.organizations}>
        {organizations.map((one) => (
          <a
            key={one.id}
            href={hrefOf(one.id, 'approvals')}
            aria-current={one.id === id ? 'true' : undefined}
            onClick={() => menu.current?.hidePopover()}
          >
            <bdi>{one.name}</bdi>
            {!one.active && <span class="quiet small-text"> ({words.nav.inactive})</span>}
          </a>
        ))}
      </div>
    </div>
  )
}

function ConnectionState() {
  const state = useStore(connection)
  const wasLost = useRef(false)
  useEffect(() => {
    if (state === 'lost') wasLost.current = true
    else if (wasLost.current) {
      wasLost.current = false
      announce(words.connectionBack)
    }
  }, [state])
  return (
    <div role="status">
      {state === 'lost' && (
        <Note kind="warn">
          <p>{words.connectionLost}</p>
        </Note>
      )}
    </div>
  )
}

function Account() {
  const { person } = useMe()
  const options = useSignInOptions()
  const { id: organizationId } = useOrganization()
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<'password' | 'keys' | undefined>()
  const choose = (action: () => void) => () => {
    menu.current?.hidePopover()
    action()
  }
  const item = (text: string, action: () => void) => (
    <button type="button" onClick={choose(action)}>
      {text}
    </button>
  )
  return (
    <div class="account">
      <button type="button" class="button account-button" popovertarget={id}>
        <Icon name="person" />
        <span class="account-name">{person.name}</span>
      </button>
      <div id={id} ref={menu} popover="auto" class="menu" role="group" aria-label={words.nav.account}>
        <p class="menu-head">
          <strong>{person.name}</strong>
          <span class="quiet">{person.mail}</span>
        </p>
        <a href={hrefOf(organizationId, 'settings')} onClick={choose(() => {})}>
          {words.nav.settings}
        </a>
        {item(words.nav.keys, () => setOpen('keys'))}
        {options?.password && item(words.nav.changePassword, () => setOpen('password'))}
        {item(words.nav.signOut, () => void leave())}
        {item(words.nav.signOutEverywhere, () => void leave(true))}
      </div>
      {open === 'password' && <PasswordDialog onClose={() => setOpen(undefined)} />}
      {open === 'keys' && <KeysDialog onClose={() => setOpen(undefined)} />}
    </div>
  )
}

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { session } = useMe()
  const { passwordUntil } = session
  const needsPresent = passwordUntil === undefined || Date.parse(passwordUntil) <= now()
  const change = async (form: FormData): Promise<void> => {
    const currentPassword = form.get('password')?.toString()
    await call('changePassword', { body: { currentPassword, newPassword: String(form.get('newPassword')) } })
    onClose()
    announce(words.password.done)
  }
  return (
    <FormDialog title={words.password.title} submit={words.password.submit} onSubmit={change} onClose={onClose}>
      {needsPresent && <PasswordField label={words.password.present} autocomplete="current-password" />}
      <PasswordField
        label={words.password.next}
        hint={entranceWords.invitation.passwordHint}
        name="newPassword"
        autocomplete="new-password"
        minLength={12}
      />
    </FormDialog>
  )
}

/** Handles single keys while the component is mounted. `act` returns whether it handled the key. */
export function useKeys(act: (key: string) => boolean): void {
  // In a layout effect: after paint, a key pressed in between would go to the previous handler.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isKeyForPage(event) && act(event.key.toLowerCase())) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}

/**
 * Returns true if a single key may act: not while typing, in a dialog, or when switched off. A held key acts once: the key
 * that approves a post must not also approve the next one.
 */
function isKeyForPage(event: KeyboardEvent): boolean {
  if (event.repeat) return false
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  if (preferences.get('keys') === 'off' || document.querySelector('dialog[open]') !== null) return false
  return !(event.target as HTMLElement).closest('input:not([type=checkbox]), textarea, select, [contenteditable]')
}

function KeysDialog({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(preferences.get('keys') !== 'off')
  const rows = [
    ['N', words.keys.next],
    ['P', words.keys.previous],
    ['A', words.keys.approve],
    ['R', words.keys.return],
    ['X', words.keys.select],
    ['U', words.keys.undo],
  ] as const
  return (
    <Dialog title={words.keys.title} onClose={onClose}>
      <CheckField
        checked={on}
        onCheck={(checked) => {
          setOn(checked)
          preferences.set('keys', checked ? 'on' : 'off')
        }}
      >
        {words.keys.on}
      </CheckField>
      <dl class="keys">
        {rows.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{words.keys.calendar}</p>
    </Dialog>
  )
}
