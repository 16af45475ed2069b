import { call } from '../api.ts'
import { TextArea } from '../fields.tsx'
import { Form } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { Button } from '../ui.tsx'
import { settings as words } from '../words.ts'
import { done, useChanges } from './section.tsx'

/** People outside the organization to whom authors may send review links. */
export function Reviewers() {
  const { id: organizationId, reviewers } = useOrganization()
  const { busy, error, change } = useChanges(['me'])
  const save = (form: FormData) => {
    const body = {
      reviewers: String(form.get('reviewers'))
        .split(/[\s,;]+/)
        .filter(Boolean),
    }
    return change(() => done(call('updateOrganization', { organizationId, body }), words.saved))
  }
  return (
    <Form className="card form" error={error} onSubmit={save}>
      <TextArea
        label={words.reviewers}
        hint={words.reviewersHint}
        name="reviewers"
        rows={3}
        autocomplete="off"
        spellcheck={false}
        defaultValue={reviewers.join('\n')}
      />
      <div class="actions">
        <Button type="submit" disabled={busy}>
          {words.saveReviewers}
        </Button>
      </div>
    </Form>
  )
}
