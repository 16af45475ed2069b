-- The search for people ignores accents, and finds a name behind the signs that it begins with.
--
-- compatible with the program before: its search calls this function, and triggers write the names of its rows. Its search of posts
-- ignores accents too meanwhile.

-- No writer names people by the functions of before once this has looked at the names.
lock table conversations in share row exclusive mode;

-- The search of posts goes on with this one, for texts are long. So does sort_name, whose index stays as it is.
alter function folded(text) rename to lowered;

-- In small letters, without accents and without characters that are not seen. What has no decomposition becomes what CLDR's Latin-ASCII
-- makes of it: ß ss, ø o, ł l, and the ı of Turkish an i, as its İ does. Marks that make another letter of Japanese, Hindi or Thai stay.
-- In PL/pgSQL, for a function of SQL that is not inlined costs more than what it does.
do $$
declare
  -- As in 0054_intake.sql.
  known text := (select format('name collate pg_catalog.%I', collname) from pg_collation
                  where collname in ('C.utf8', 'pg_c_utf8') and collencoding in (-1, pg_char_to_encoding('UTF8'))
                    and current_setting('server_encoding') = 'UTF8'
                  order by collname limit 1);
begin
  execute format($create$
    create function folded(name text) returns text language plpgsql immutable parallel safe as $body$
    begin
      if octet_length(name) = char_length(name) then
        return lower(name collate "C");
      end if;
      -- Composed again, so that the beginning of a Korean syllable is no beginning of the name.
      name := normalize(regexp_replace(normalize(name, NFKD), %L, '', 'g'), NFC);
      if octet_length(name) = char_length(name) then
        return lower(name collate "C");
      end if;
      name := lower(%s);
      return translate(replace(replace(replace(replace(name, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
                       'øłđðħıŧŋς‘’ʻʼ‐–—', 'olddhitnσ''''''''---');
    end $body$
  $create$,
    -- Accents, vowel signs of Hebrew and Arabic, variation selectors, and characters that join or direct others.
    '[\u00AD\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u1AB0-\u1AFF'
    '\u1DC0-\u1DFF\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\uFEFF]+',
    coalesce(known, 'name'));
end $$;

-- Whole name, last name, user name. One that begins with signs or pictures is there without them too.
create or replace function names_of(first_name text, last_name text, user_name text) returns text[] language plpgsql immutable as $$
declare
  found text[] := '{}';
  name  text;
begin
  foreach name in array array[concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), last_name, user_name] loop
    name := folded(name);
    if name <> '' and left(name, 200) <> all(found) then
      found := found || left(name, 200);
    end if;
    if left(name, 1) collate "C" not between 'a' and 'z' then
      name := left(regexp_replace(name, '^[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u2BFF\u3000-\u303F\uE000-\uF8FF\U0001F000-\U0001FAFF]+', ''), 200);
      if name <> '' and name <> all(found) then
        found := found || name;
      end if;
    end if;
  end loop;
  return found;
end $$;

delete from conversation_names where octet_length(name) <> char_length(name) or name !~ '^[a-z0-9]';
insert into conversation_names (organization_id, name, channel_id, conversation_id)
select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from conversations
 where octet_length(concat_ws('', first_name, last_name, user_name)) <> char_length(concat_ws('', first_name, last_name, user_name))
    or concat(first_name, last_name) ~ '^[^A-Za-z0-9]' or last_name ~ '^[^A-Za-z0-9]' or user_name ~ '^[^A-Za-z0-9]'
    on conflict do nothing;
