// Settings: each with its value and where that comes from. They are changed in files and by commands, not here.
import { useState } from "react";
import { at } from "../../api/addresses";
import type { Documents } from "../../api/types";
import { Button, Command, Find, Loaded, Tag } from "../../parts";
import { matching } from "../../shell/matching";
import { useNotifying } from "../../shell/notices";
import { signOut } from "../../store/session";
import { resources, session, useResource } from "../../store/store";
import { visible } from "../../text/visible";
import { chooseTheme, type Theme, useTheme } from "../../theme";

type Setting = Documents["settings"]["settings"][number];

export default function SettingsPage() {
  const found = useResource(at.settings());
  return (
    <div className="page narrow">
      <div className="head">
        <h1>Settings</h1>
      </div>
      <Browser />
      <section className="sect">
        <h2>Project</h2>
        <p className="lead">Read-only here. They are changed in shiftwork.toml, or by this command:</p>
        <div className="sect">
          <Command>shiftwork config set NAME VALUE</Command>
        </div>
        <Loaded of={found} what="The settings" onRetry={() => resources.again(at.settings())}>
          {(data) => <List settings={data.settings} />}
        </Loaded>
      </section>
    </div>
  );
}

function Browser() {
  const theme = useTheme();
  const [permission, change] = useNotifying();
  const words: [Theme, string][] = [
    ["system", "As the system"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  const who = session();
  return (
    <section className="sect">
      <h2>This browser</h2>
      <dl className="kv" style={{ alignItems: "center" }}>
        <dt>Theme</dt>
        <dd>
          <span className="head">
            {words.map(([value, word]) => (
              <Button key={value} aria-pressed={theme === value} onClick={() => chooseTheme(value)}>
                {word}
              </Button>
            ))}
          </span>
        </dd>
        <dt>Notifications</dt>
        <dd>
          {permission === "unsupported" && "This browser has none"}
          {permission === "refused" && "Refused in the settings of the browser"}
          {permission === "off" && <Button onClick={() => change(true)}>Notify me in this browser</Button>}
          {permission === "on" && <Button onClick={() => change(false)}>Stop notifications</Button>}
        </dd>
        <dt>Signed in</dt>
        <dd>
          <span className="head">
            {who ? `as ${visible(who.name) || who.token_id}, ${who.role}` : ""}
            <Button onClick={() => void signOut().then(() => location.reload())}>Sign out</Button>
          </span>
        </dd>
      </dl>
    </section>
  );
}

function List({ settings }: { settings: readonly Setting[] }) {
  const [wanted, setWanted] = useState("");
  const found = matching(settings, wanted, (setting) => `${setting.name} ${setting.source}`);
  return (
    <>
      <div className="sect">
        <Find label="Filter by name or source" value={wanted} onChange={setWanted} />
      </div>
      <table className="tbl stack sect">
        <thead>
          <tr>
            <th>Setting</th>
            <th>Value</th>
            <th>Source</th>
          </tr>
        </thead>
        <tbody>
          {found.map((setting) => (
            <tr key={setting.name}>
              <td className="mono any">{visible(setting.name)}</td>
              <td className="mono any" data-l="Value">
                {visible(written(setting.value))}
              </td>
              <td data-l="Source">
                {setting.source === "default" ? <span className="faint">default</span> : <Tag>{visible(setting.source)}</Tag>} {setting.where && <small className="said">{visible(setting.where)}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.length === 0 && <p className="muted">No setting has this name.</p>}
    </>
  );
}

/** A value as it stands in a file of settings. */
function written(value: unknown): string {
  if (value === null || value === undefined) return "not set";
  return typeof value === "string" ? value || '""' : JSON.stringify(value);
}
