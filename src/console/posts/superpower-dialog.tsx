import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { SavedSuperpower, Superpower } from '../../interface/superpowers.ts'
import { ApiError, createSuperpower, deleteSuperpower, updateSuperpower } from '../api.ts'
import { isDay } from '../days.ts'
import { useOrganization } from '../session.tsx'
import { announce, Dialog, Field, Problem } from '../ui.tsx'
import { common } from '../words.ts'
import {
  ACTIONS,
  type CommonForm,
  type PlacedProblem,
  placeProblems,
  readJson,
  toForm,
  withField,
} from './superpower-form.ts'
import { superpowerWords as words } from './words.ts'

/** What the service refused of it, by the place in it. */
export const problemsIn = (error: unknown, prefix: readonly string[]): PlacedProblem[] =>
  error instanceof ApiError
    ? error.details.flatMap(({ path, message }) =>
        prefix.every((part, index) => path[index] === part)
          ? [{ path: path.slice(prefix.length).join('.'), message }]
          : [],
      )
    : []

/**
 * Edits a superpower: the common form as a form, all of it as JSON below. What is typed in one place shows in the other.
 * `saved`: the saved one that it is of, which is changed or deleted here; a post holds a copy.
 */
export function SuperpowerDialog({
  start,
  saved,
  problems: before,
  onUse,
  onSaved,
  onDeleted,
  onClose,
}: {
  start: Superpower
  saved: SavedSuperpower | undefined
  problems: readonly PlacedProblem[]
  /** Puts it into the post alone. */
  onUse: (superpower: Superpower) => void
  onSaved: (saved: SavedSuperpower) => void
  onDeleted: (id: string) => void
  onClose: () => void
}) {
  const { id: organizationId, may } = useOrganization()
  const client = useQueryClient()
  const [value, setValue] = useState<Superpower>(start)
  const [json, setJson] = useState(() => toJson(start))
  const [jsonProblem, setJsonProblem] = useState<string>()
  const [problems, setProblems] = useState(before)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [asksToDelete, setAsksToDelete] = useState(false)
  const form = toForm(value)
  const { fields, rest } = placeProblems(problems)
  const mayWrite = may('superpowers:write')

  const change = <Name extends keyof CommonForm>(name: Name, next: CommonForm[Name]): void => {
    const changed = withField(value, name, next)
    setValue(changed)
    setJson(toJson(changed))
    setJsonProblem(undefined)
    setProblems([])
  }
  const changeJson = (text: string): void => {
    setJson(text)
    setProblems([])
    const read = readJson(text)
    if ('problem' in read) {
      setJsonProblem(words.noJson(read.problem))
      return
    }
    setJsonProblem(undefined)
    setValue(read.superpower)
  }
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      await client.invalidateQueries({ queryKey: ['superpowers', organizationId] })
    } catch (thrown) {
      const placed = problemsIn(thrown, ['superpower'])
      setProblems(placed)
      if (placed.length === 0) setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  const save = (): Promise<void> =>
    act(async () => {
      const { creativeTemplateId: _, creativeTemplateName: __, ...superpower } = value
      const name = form.name.trim()
      const done =
        saved === undefined
          ? await createSuperpower(organizationId, { name, superpower })
          : await updateSuperpower(organizationId, saved.creativeTemplateId, { name, superpower })
      announce(words.saved(done.name))
      onSaved(done)
    })
  const canSave = !busy && jsonProblem === undefined && form.name.trim() !== ''
  const onText =
    (name: (typeof LONG)[number]) =>
    (event: { currentTarget: HTMLTextAreaElement }): void =>
      change(name, event.currentTarget.value)
  const text = (name: 'name' | 'hashtag' | 'winners' | 'raffleEnd', type = 'text', hint?: string) => (
    <Field label={words.fields[name]} hint={hint} problem={fields[name]}>
      {(attributes) => (
        <input
          {...attributes}
          type={type}
          min={type === 'number' ? 1 : undefined}
          dir="auto"
          value={form[name]}
          onInput={(event) => change(name, event.currentTarget.value)}
        />
      )}
    </Field>
  )
  const flag = (name: 'active' | 'autoLike' | 'takesPart') => (
    <div>
      <label class="check">
        <input type="checkbox" checked={form[name]} onChange={(event) => change(name, event.currentTarget.checked)} />
        {words.fields[name]}
      </label>
      {fields[name] !== undefined && <p class="problem help">{fields[name]}</p>}
    </div>
  )
  return (
    <Dialog title={saved === undefined ? words.title : words.titleOf(saved.name)} onClose={onClose}>
      <div class="form">
        {error !== undefined && <Problem error={error} />}
        {text('name', 'text', words.nameHint)}
        {text('hashtag', 'text', words.hashtagHint)}
        {flag('active')}
        <Field label={words.fields.action} problem={fields.action}>
          {(attributes) => (
            <select
              {...attributes}
              value={form.action}
              onChange={(event) => change('action', event.currentTarget.value)}
            >
              <option value="">{words.always}</option>
              {ACTIONS.map((action) => (
                <option key={action} value={action}>
                  {words.actions[action]}
                </option>
              ))}
              {form.action !== '' && !ACTIONS.some((action) => action === form.action) && (
                <option value={form.action}>{form.action}</option>
              )}
            </select>
          )}
        </Field>
        {LONG.filter((name) => name !== 'values' || form.action !== '').map((name) => (
          <Field
            key={name}
            label={words.fields[name]}
            hint={name === 'values' ? words.valuesHint : undefined}
            problem={fields[name]}
          >
            {(attributes) => (
              <textarea
                {...attributes}
                class="short"
                dir="auto"
                value={form[name]}
                // The lines of words are read once they are whole: an empty one is none.
                {...(name === 'values' ? { onChange: onText(name) } : { onInput: onText(name) })}
              />
            )}
          </Field>
        ))}
        {flag('autoLike')}
        {flag('takesPart')}
        {text('winners', 'number')}
        {text('raffleEnd', form.raffleEnd === '' || isDay(form.raffleEnd) ? 'date' : 'text')}
        <details open={rest.length > 0 || jsonProblem !== undefined}>
          <summary>{words.json}</summary>
          <Field
            label={words.json}
            hint={words.jsonHint}
            problem={
              jsonProblem ??
              (rest.length === 0 ? undefined : rest.map(({ path, message }) => `${path}: ${message}`).join(' '))
            }
          >
            {(attributes) => (
              <textarea
                {...attributes}
                class="json"
                spellcheck={false}
                rows={14}
                value={json}
                onInput={(event) => changeJson(event.currentTarget.value)}
              />
            )}
          </Field>
        </details>
        {asksToDelete && saved !== undefined ? (
          <div class="notice notice-warn" role="alert">
            <div>
              <p>{words.deleteText(saved.name)}</p>
              <div class="actions">
                <button
                  type="button"
                  class="button small bad"
                  disabled={busy}
                  onClick={() =>
                    void act(async () => {
                      await deleteSuperpower(organizationId, saved.creativeTemplateId)
                      announce(words.deleted(saved.name))
                      onDeleted(saved.creativeTemplateId)
                    })
                  }
                >
                  {words.delete}
                </button>
                <button type="button" class="button small" onClick={() => setAsksToDelete(false)}>
                  {common.cancel}
                </button>
              </div>
            </div>
          </div>
        ) : (
          <div class="actions">
            <button
              type="button"
              class="button primary"
              disabled={busy || jsonProblem !== undefined}
              onClick={() => onUse(value)}
            >
              {words.useHere}
            </button>
            {mayWrite && (
              <button type="button" class="button" disabled={!canSave} onClick={() => void save()}>
                {saved === undefined ? words.saveForAll : words.saveChanges}
              </button>
            )}
            {mayWrite && saved !== undefined && (
              <button type="button" class="button plain bad-text" disabled={busy} onClick={() => setAsksToDelete(true)}>
                {words.delete}
              </button>
            )}
            <button type="button" class="button plain" onClick={onClose}>
              {common.cancel}
            </button>
          </div>
        )}
      </div>
    </Dialog>
  )
}

const LONG = ['values', 'publicReply', 'privateReply'] as const

const toJson = (superpower: Superpower): string => JSON.stringify(superpower, null, 2)
