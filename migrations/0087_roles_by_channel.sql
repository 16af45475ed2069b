-- In some channels a member has another role than in the rest of the organization.
--
-- compatible with the program before, for which the role in the organization holds in every channel: name no channels for a
-- member before no node of that program runs (docs/upgrading.md).

create table membership_channels (
  organization_id     text not null,
  person_id           text not null,
  channel_id          text not null,
  -- An administrator is one everywhere.
  role                text not null check (role in ('VIEWER', 'EDITOR')),
  may_approve         boolean not null,
  -- As in memberships: by whom and when the person got the right to approve here; null where no one is known to have given it.
  approval_granted_at timestamptz,
  approval_granted_by text,
  primary key (organization_id, person_id, channel_id),
  foreign key (organization_id, person_id) references memberships on update cascade on delete cascade,
  foreign key (organization_id, channel_id) references channels on delete cascade
);
create index membership_channels_by_channel on membership_channels (organization_id, channel_id);

-- They are cached with the membership.
create constraint trigger membership_channels_count_access_change
  after insert or update or delete on membership_channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');

create function end_roles_by_channel() returns trigger language plpgsql as $$
begin
  delete from membership_channels where organization_id = new.organization_id and person_id = new.person_id;
  return null;
end $$;
create trigger memberships_end_roles_by_channel
  after update of role on memberships
  for each row when (new.role = 'ADMIN' and old.role <> 'ADMIN')
  execute function end_roles_by_channel();

-- Tells whether a member may approve ('approve'), or approve or write ('send'), in every channel of a post: by the role
-- there, or else by that in the organization, which also holds for a post without channels. False for one who is no member.
create function member_may_for_post(text, text, text, text) returns boolean language sql stable as $$
  select coalesce(bool_and(
           coalesce(c.may_approve, m.may_approve)
           or ($4 = 'send' and coalesce(c.role, m.role) in ('EDITOR', 'ADMIN'))), false)
    from memberships m
    left join scheduled_post_channels x on x.organization_id = m.organization_id and x.scheduled_post_id = $3
    left join membership_channels c
           on c.organization_id = m.organization_id and c.person_id = m.person_id and c.channel_id = x.channel_id
   where m.organization_id = $1 and m.person_id = $2
$$;

-- The same for at least one channel, or the organization.
create function member_may_anywhere(text, text, text) returns boolean language sql stable as $$
  select coalesce(bool_or(
           coalesce(m.may_approve, false) or coalesce(c.may_approve, false)
           or ($3 = 'send' and (m.role in ('EDITOR', 'ADMIN') or coalesce(c.role = 'EDITOR', false)))), false)
    from memberships m
    left join membership_channels c on c.organization_id = m.organization_id and c.person_id = m.person_id
   where m.organization_id = $1 and m.person_id = $2
$$;
