// Agents: each profile with its record, how sure that is, and what a landed story has cost.
import type { CSSProperties } from "react";
import { at } from "../../api/addresses";
import type { Documents } from "../../api/types";
import { cost, money, tokens } from "../../amounts";
import { Blank, Command, Loaded } from "../../parts";
import { resources, useResource } from "../../store/store";
import { visible } from "../../text/visible";
import { plural } from "../../words";
import "./agents.css";

type Agent = Documents["agent-records"]["agents"][number];

const CHOICE: Record<string, string> = {
  learn: "The profile of each step is chosen by its record.",
  fixed: "The settings say which profile does which step.",
};

export default function AgentsPage() {
  const found = useResource(at.agents());
  return (
    <Loaded of={found} what="The list of agents" onRetry={() => resources.again(at.agents())}>
      {(data) => (
        <div className="page">
          <div className="head">
            <h1>Agents</h1>
          </div>
          <p className="lead">
            {data.run_count === 0 ? "There is no run yet." : data.run_count === 1 ? "From the newest run." : `From the newest ${plural(data.run_count, "run")}.`} {CHOICE[data.choose] ?? ""} The range says where the true share of stories that land likely is: a short record has a wide one.
          </p>
          {data.agents.length === 0 ? <Blank title="No profile is known" command="shiftwork doctor" /> : <Records agents={data.agents} />}
          <div className="sect wide">
            <h2>Which programs are installed, and which profile would be chosen next</h2>
            <Command>shiftwork agents</Command>
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Records({ agents }: { agents: readonly Agent[] }) {
  return (
    <div className="wrap sect">
      <table className="tbl mid hov stack">
        <thead>
          <tr>
            <th>Profile</th>
            <th>Landed</th>
            <th>Share that lands, 95 %</th>
            <th className="num">USD per landed story</th>
            <th className="num">USD in all</th>
            <th className="num lg">Tokens in, out</th>
            <th className="num">Own limit reached</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent.agent}>
              <td>
                <b>{visible(agent.agent)}</b>
                <small className="below">
                  {[agent.use !== agent.agent ? agent.use : "", agent.model ?? ""].filter(Boolean).map(visible).join(" · ")}
                </small>
              </td>
              <td data-l="Landed">{agent.ended ? `${agent.verified} of ${agent.ended}` : <span className="faint">no story yet</span>}</td>
              <td data-l="Share that lands">
                <Range agent={agent} />
              </td>
              <td className="num" data-l="USD per landed">
                {agent.story_cost_usd === null ? <span className="faint">unknown</span> : money(agent.story_cost_usd)}
              </td>
              <td className="num" data-l="USD in all">
                {agent.tries ? cost(agent) : <span className="faint">none</span>}
              </td>
              <td className="num lg" data-l="Tokens in, out">
                {agent.input_tokens === null || agent.output_tokens === null ? <span className="faint">unknown</span> : `${tokens(agent.input_tokens)}, ${tokens(agent.output_tokens)}`}
              </td>
              <td className="num" data-l="Own limit reached">
                {agent.limit_waits ? plural(agent.limit_waits, "time") : <span className="faint">never</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Range({ agent }: { agent: Agent }) {
  const percent = (share: number) => Math.round(share * 100);
  if (agent.low_share === null || agent.high_share === null || !agent.ended) return <span className="faint">unknown</span>;
  const [low, high, share] = [percent(agent.low_share), percent(agent.high_share), percent(agent.verified / agent.ended)];
  return (
    <span className="share">
      <span className="range wide" aria-hidden="true" style={{ "--lo": low, "--hi": high, "--v": share } as CSSProperties}>
        <i />
        <b />
      </span>
      {share} %{" "}
      <small>
        ({low} to {high} %)
      </small>
    </span>
  );
}
