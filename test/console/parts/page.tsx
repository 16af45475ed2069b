import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import { type ComponentChildren, render } from 'preact'
import { LocationProvider } from 'preact-iso'
import { onTestFinished, vi } from 'vitest'
import { MeProvider, OrganizationProvider, showTo } from '../../../src/console/organization.ts'
import { Announcer, announce } from '../../../src/console/ui.tsx'
import type { Me, OwnOrganization } from '../../../src/interface/generated/types.ts'

export const ORGANIZATION: OwnOrganization = {
  id: 'org_1',
  name: 'Mercado',
  active: true,
  timeZone: 'UTC',
  language: 'en',
  currency: 'EUR',
  role: 'ADMIN',
  mayApprove: true,
  fourEyes: false,
  requireSecondFactor: false,
  automation: 'on',
  reviewers: [],
  permissions: ['posts:read', 'posts:write', 'posts:approve', 'superpowers:write'],
} as OwnOrganization

const ME = {
  person: { id: 'usr_1', name: 'Person', mail: 'person@example.com', language: null, timeZone: null },
  organizations: [ORGANIZATION],
} as unknown as Me

let root: HTMLElement | undefined

function clear(): void {
  if (root !== undefined) render(null, root)
  root?.remove()
  root = undefined
}

/** Draws a part of the console in a page of an organization, replacing the previous one, until the test ends. */
export function show(part: ComponentChildren, organization: Partial<OwnOrganization> = {}): QueryClient {
  clear()
  root = document.body.appendChild(document.createElement('div'))
  // Files of a thread share their modules, so a hook of this module would apply only to the first file.
  onTestFinished(() => {
    clear()
    announce('')
    history.replaceState(null, '', '/')
    sessionStorage.clear()
    localStorage.clear()
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <LocationProvider>
        <MeProvider value={ME}>
          <OrganizationProvider value={showTo(ME, { ...ORGANIZATION, ...organization })}>{part}</OrganizationProvider>
        </MeProvider>
        <Announcer />
      </LocationProvider>
    </QueryClientProvider>,
    root,
  )
  return client
}

/** Returns the text that a person sees or hears, without what is hidden from screen readers. */
export function textOf(element: Element = document.body): string {
  const copy = element.cloneNode(true) as Element
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove()
  return (copy.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Returns the button with exactly this name that is not behind a dialog; throws if there is none. */
export function button(name: string): HTMLButtonElement {
  const open = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
  const buttons = [...open.querySelectorAll('button')]
  const found = buttons.find((one) => (one.getAttribute('aria-label') ?? textOf(one)) === name)
  if (found === undefined) throw new Error(`no button ${name}, but ${buttons.map((one) => textOf(one)).join(' · ')}`)
  return found
}

/** Returns the control with this label. */
export function field<Control extends HTMLElement = HTMLInputElement>(label: string): Control {
  const labels = [...document.querySelectorAll('label')]
  const found = labels.find((one) => textOf(one) === label)
  const control = found?.htmlFor ? document.getElementById(found.htmlFor) : found?.querySelector('input, select')
  if (control == null) throw new Error(`no field ${label}, but ${labels.map((one) => textOf(one)).join(' · ')}`)
  return control as Control
}

/** Returns the help and the problem beside a control. */
export const helpOf = (control: HTMLElement): string =>
  textOf(document.getElementById(control.getAttribute('aria-describedby') ?? '') ?? document.createElement('p'))

export function type(control: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  control.value = text
  control.dispatchEvent(new Event('input', { bubbles: true }))
}

export const until = <T,>(check: () => T): Promise<T> => vi.waitFor(check, { interval: 10 })

/** Waits until the page shows this text. */
export const untilShown = (text: string): Promise<void> =>
  until(() => {
    if (!textOf().includes(text)) throw new Error(`${text} is not shown in: ${textOf()}`)
  })

/** Waits until the button can be pressed, and presses it. */
export const press = (name: string): Promise<void> =>
  until(() => {
    const found = button(name)
    if (found.disabled) throw new Error(`${name} is disabled`)
    found.click()
  })

/** Clicks the button of a page that a link opened, which ignores clicks by scripts. */
export const pressByHand = (name: string): Promise<void> =>
  until(() => {
    const click = new MouseEvent('click', { bubbles: true })
    Object.defineProperty(click, 'isTrusted', { value: true })
    button(name).dispatchEvent(click)
  })

/** Simulates a return from another window: the page reads its content again. */
export const comeBack = (): void => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
