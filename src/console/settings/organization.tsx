import { useQueryClient } from '@tanstack/preact-query'
import { updateOrganization } from '../api.ts'
import { textIn, useAct } from '../forms.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Field, Problem } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { words as all, settingsWords as words } from '../words.ts'

/** Name and time zone. */
export function OrganizationSettings() {
  const { id, name, timeZone } = useOrganization()
  const client = useQueryClient()
  const nowMs = useNow()
  const { busy, error, act } = useAct()
  const zones = Intl.supportedValuesOf('timeZone')
  const choices = zones.includes(timeZone) ? zones : [timeZone, ...zones]
  return (
    <section class="section">
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          void act(async () => {
            await updateOrganization(id, { name: textIn(form, 'name'), timeZone: textIn(form, 'timeZone') })
            await client.invalidateQueries({ queryKey: ['me'] })
          }, words.saved)
        }}
      >
        {error !== undefined && <Problem error={error} />}
        <Field label={words.name}>
          {(attributes) => <input {...attributes} name="name" required maxLength={200} defaultValue={name} />}
        </Field>
        <Field
          label={words.timeZone}
          hint={words.timeZoneHint(zoneName(timeZone), formatInstant(nowMs, timeZone, 'time'))}
        >
          {(attributes) => (
            <select {...attributes} name="timeZone" defaultValue={timeZone}>
              {choices.map((zone) => (
                <option key={zone} value={zone} selected={zone === timeZone}>
                  {zoneName(zone)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy}>
            {all.save}
          </button>
        </div>
      </form>
    </section>
  )
}
