import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PostStatus } from '../interface/post-status.ts'
import { ApiError } from './api.ts'
import { NotConfirmed } from './confirmation.ts'
import { createStore } from './connection.ts'
import { findFreePlace } from './free-place.ts'
import { Icon, type IconName } from './icons.tsx'
import { useStore } from './store.ts'
import { useLeaveGuard } from './use-leave-guard.ts'
import { common, textOf } from './words.ts'

interface PageProps {
  title: string
  aside?: ComponentChildren
  children: ComponentChildren
  className?: string
}

/** A page's heading. It is also the document's title, and takes the focus on navigation. */
export function Page({ title, aside, children, className = '' }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const many = useStore(titleCount)
  useEffect(() => {
    document.title = common.titleOf({ page: title, unread: many })
  }, [title, many])
  // Before paint: later, this would take the focus from a field already in use.
  useLayoutEffect(() => {
    if (visited) heading.current?.focus({ preventScroll: true })
    visited = true
  }, [])
  return (
    <div class={`page ${className}`}>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </header>
      {children}
    </div>
  )
}

/** The number of unread entries, shown in the title of each page. */
export const titleCount = createStore(0)

/** The first page leaves the focus where the browser put it. */
let visited = false

export function Status({ status }: { status: PostStatus }) {
  return (
    <span class={`status status-${status.toLowerCase()}`}>
      <Icon name={status} />
      {common.status[status]}
    </span>
  )
}

interface ProblemProps {
  error: unknown
  onRetry?: (() => Promise<unknown>) | undefined
  /** Shown below the text. */
  children?: ComponentChildren
}

/**
 * Says what went wrong and what to do; renders nothing without an error. Errors of a button's action are shown by a Refusal.
 */
export function Problem({ error, onRetry, children }: ProblemProps) {
  const [busy, setBusy] = useState(false)
  if (error === undefined || error === null || error instanceof NotConfirmed) return null
  const { text, more } = describeError(error)
  const tryAgain = (retry: () => Promise<unknown>): void => {
    setBusy(true)
    void retry().finally(() => setBusy(false))
  }
  return (
    <Note kind="bad" role="alert" icon="FAILED">
      <p>{text}</p>
      {more !== undefined && <p class="quiet">{more}</p>}
      {children}
      {onRetry && !isMissing(error) && (
        <Button kind="small" disabled={busy} onClick={() => tryAgain(onRetry)}>
          {common.tryAgain}
        </Button>
      )}
    </Note>
  )
}

/** Returns true if the resource does not exist, so that a retry is pointless. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** Returns the texts for an error: what happened, and what else may help. */
export function describeError(error: unknown): { text: string; more: string | undefined } {
  if (!(error instanceof ApiError)) {
    // A plain Error carries the console's own text; any other kind is a bug.
    const isSentence = error instanceof Error && error.constructor === Error
    return { text: isSentence ? error.message : common.failed, more: undefined }
  }
  const more = [
    ...(error.retryAfterSeconds === undefined ? [] : [common.retryAfter({ seconds: error.retryAfterSeconds })]),
    ...(error.status >= 500 && error.requestId !== '' ? [common.requestId({ id: error.requestId })] : []),
  ]
  // A validation error has no text besides those of its fields.
  const message = error.message || error.details.map(({ message: one }) => one).join('. ')
  return { text: textOf(common.errors, error.code, message || common.failed), more: more.join(' ') || undefined }
}

interface NoteProps {
  kind?: 'plain' | 'good' | 'warn' | 'bad'
  role?: 'alert' | 'status'
  icon?: IconName
  children: ComponentChildren
}

/** A framed note. Screen readers read an `alert` immediately, a `status` when they pause. */
export function Note({ kind = 'plain', role, icon, children }: NoteProps) {
  return (
    <div class={`notice notice-${kind}`} role={role}>
      {icon && <Icon name={icon} />}
      <div>{children}</div>
    </div>
  )
}

type ButtonProps = { kind?: string; of?: string } & ButtonHTMLAttributes<HTMLButtonElement>

/** `kind` combines small, primary, bad and plain; `of` names what the button acts on, for screen readers. */
export function Button({ kind = '', of, children, ...attributes }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} {...attributes}>
      {children}
      {of !== undefined && <span class="hidden"> {of}</span>}
    </button>
  )
}

/** A table that scrolls sideways if it is wider than the page, also by keyboard. */
export function TableFrame({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be focusable (WCAG 2.1.1)
    <div class="table-frame table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <caption class="hidden">{label}</caption>
        {children}
      </table>
    </div>
  )
}

/** A placeholder while a list or a post loads. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden">{common.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="loading-line" />
      ))}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="quiet">{children}</div>}
    </div>
  )
}

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  canClose?: boolean
}

/**
 * A native modal dialog: it traps the focus, closes on Escape, and restores the focus. The browser warns before leaving a
 * page with input in a dialog.
 */
export function Dialog({ title, onClose, children, canClose = true }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isShown = useRef(true)
  const [isTyped, setTyped] = useState(false)
  const id = useId()
  useLeaveGuard(isTyped)
  useLayoutEffect(() => {
    const element = dialog.current
    const before = document.activeElement
    element?.showModal()
    return () => {
      isShown.current = false
      element?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onInput={() => setTyped(true)}
      closedby={canClose ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault()
        if (canClose) onClose()
      }}
      // Browsers may close it on a second Escape without asking, and may not support `closedby`.
      onClose={({ currentTarget }) => {
        if (!isShown.current || currentTarget.open) return
        if (canClose) onClose()
        else currentTarget.showModal()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {canClose && (
          <button type="button" class="button icon-button" aria-label={common.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {children}
    </dialog>
  )
}

/** The keyboard shortcut of the surrounding button. */
export function Key({ name }: { name: string }) {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  )
}

/** Attributes that connect a control to its label and help. */
export interface FieldAttributes {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: 'true'
}

interface FieldProps {
  label: ComponentChildren
  hint?: ComponentChildren
  problem?: string | undefined
  children: (attributes: FieldAttributes) => ComponentChildren
}

/** A label with its control, its hint, and its problem. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const helpId = `${id}-help`
  const hasHelp = Boolean(hint) || problem !== undefined
  return (
    <div class={`field ${problem === undefined ? '' : 'field-bad'}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        ...(hasHelp ? { 'aria-describedby': helpId } : {}),
        ...(problem === undefined ? {} : { 'aria-invalid': 'true' as const }),
      })}
      {hasHelp && (
        <div id={helpId} class="help">
          {problem !== undefined && <p class="problem">{problem}</p>}
          {hint && <div>{hint}</div>}
        </div>
      )}
    </div>
  )
}

/** How long an announcement is visible. */
const ANNOUNCED_MS = 3_000

const announced = createStore('')

/** Announces a sentence to screen readers and shows it briefly. */
export function announce(text: string): void {
  // Repeating a sentence must also count as a change.
  announced.set(announced.get() === text ? `${text}\u00a0` : text)
}

/** The one place for announcements in the document. It always exists, and never covers a control. */
export function Announcer() {
  const text = useStore(announced)
  const toast = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => announced.set(''), ANNOUNCED_MS)
    return () => clearTimeout(timer)
  }, [text])
  useLayoutEffect(() => {
    const element = toast.current
    if (text === '' || element === null) return undefined
    const place = (): void => {
      const free = findFreePlace(element)
      element.style.translate = free === undefined ? '' : `${free.x}px ${free.y}px`
      element.classList.toggle('announcer-unseen', free === undefined)
    }
    place()
    // Controls may scroll below it or appear there.
    addEventListener('scroll', place, { capture: true, passive: true })
    addEventListener('resize', place)
    const timer = setInterval(place, 100)
    return () => {
      removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
      clearInterval(timer)
    }
  }, [text])
  return (
    <div ref={toast} class={`announcer ${text === '' ? 'announcer-empty' : ''}`} role="status" aria-live="polite">
      {text}
    </div>
  )
}
