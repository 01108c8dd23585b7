/**
 * Alert rules and queries of the dashboard, read and evaluated by Prometheus' own promtool.
 * @module
 */
import { expect } from "expect";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import { installedObjects, installOptions } from "../../src/install/mod.ts";
import { runProgram } from "./programs.ts";

const { monitoring } = installedObjects(installOptions({ "monitoring.enabled": true }));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

function groups(): readonly { readonly rules: readonly Rule[] }[] {
  const { spec } = monitoring.find(({ kind }) => kind === "PrometheusRule")!;
  return (spec as { groups: { rules: Rule[] }[] }).groups; // as is written there
}

function dashboardQueries(): string[] {
  const { data } = monitoring.find(({ kind }) => kind === "ConfigMap")! as unknown as { data: Record<string, string> };
  const { panels } = JSON.parse(data["chancery.json"]!) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** By what an alert is raised. */
interface Case {
  /** Series as a Prometheus has them, each with its value in trouble and that when all is well. */
  readonly series: Readonly<Record<string, readonly [trouble: string, well: string]>>;
  /** Labels that the alert comes with. */
  readonly labels: Readonly<Record<string, string>>;
}

const AT = 'namespace="shop",pod="ds-1"';
const OF = 'exported_namespace="shop",name="edge"';
/** Of a number that grows by one each minute, and of one that stays. */
const [GROWS, STAYS] = ["0+1x60", "7x60"];

function constant(value: number): string {
  return `${value}x60`;
}

const CASES: Readonly<Record<string, Case>> = {
  ChanceryConfigRolledBack: {
    series: {
      [`chancery_configs{state="Rollback",${AT}}`]: [constant(1), constant(0)],
      [`chancery_configs{state="InSync",${AT}}`]: [constant(3), constant(4)],
    },
    labels: { namespace: "shop" },
  },
  ChanceryConfigWithoutVersion: {
    series: { [`chancery_configs{state="RollbackFailed",${AT}}`]: [constant(1), constant(0)] },
    labels: { namespace: "shop" },
  },
  ChanceryEnvoyRefuses: {
    series: { [`chancery_xds_rejected{node_id="edge",resource_type="t",${AT}}`]: [constant(2), constant(0)] },
    labels: { namespace: "shop", node_id: "edge" },
  },
  ChanceryEnvoyCutOff: {
    series: {
      [`envoy_control_plane_connected_state{job="marin3r-system/chancery-sidecars",${AT}}`]: [constant(0), constant(1)],
      // Somebody else's.
      'envoy_control_plane_connected_state{job="istio/envoys",namespace="shop",pod="other"}': [
        constant(0),
        constant(0),
      ],
    },
    labels: { namespace: "shop", pod: "ds-1" },
  },
  ChanceryNotReady: {
    series: { [`chancery_ready{${AT}}`]: [constant(0), constant(1)] },
    labels: { namespace: "shop", pod: "ds-1" },
  },
  ChanceryNobodyLeads: {
    series: {
      'chancery_lease_held{group="operator",pod="one"}': [constant(0), constant(1)],
      'chancery_lease_held{group="operator",pod="two"}': [constant(0), constant(0)],
    },
    labels: { group: "operator" },
  },
  ChanceryDiscoveryServiceWithoutLeader: {
    series: {
      'chancery_leading{namespace="shop",pod="one"}': [constant(0), constant(0)],
      'chancery_leading{namespace="shop",pod="two"}': [constant(0), constant(1)],
    },
    labels: { namespace: "shop" },
  },
  ChanceryAnswersNobody: {
    series: { [`chancery_xds_paused{${AT}}`]: [constant(1), constant(0)] },
    labels: { namespace: "shop", pod: "ds-1" },
  },
  ChanceryWatchBehind: {
    series: {
      [`chancery_watch_current{kind="Secret",exported_namespace="a",${AT}}`]: [constant(0), constant(1)],
      [`chancery_watch_current{kind="Secret",exported_namespace="b",${AT}}`]: [constant(1), constant(1)],
    },
    labels: { namespace: "shop", pod: "ds-1", kind: "Secret" },
  },
  ChanceryObjectsFailing: {
    series: { 'chancery_objects_failing{kind="EnvoyDeployment"}': [constant(1), constant(0)] },
    labels: { kind: "EnvoyDeployment" },
  },
  ChanceryCertificateEndsSoon: {
    series: { [`chancery_certificate_expires_in_seconds{${OF}}`]: ["3599-60x60", constant(36_000)] },
    labels: { exported_namespace: "shop", name: "edge" },
  },
  ChanceryCertificateUnusable: {
    series: { [`chancery_certificate_usable{${OF}}`]: [constant(0), constant(1)] },
    labels: { exported_namespace: "shop", name: "edge" },
  },
  ChanceryRotationStuck: {
    series: {
      [`chancery_certificate_rotation_phase_seconds{phase="Trust",${OF}}`]: ["3000+60x60", "0+30x60"],
      // Most of the time it is here.
      [`chancery_certificate_rotation_phase_seconds{phase="Stable",${OF}}`]: [constant(90_000), constant(90_000)],
    },
    labels: { exported_namespace: "shop", name: "edge", phase: "Trust" },
  },
  ChanceryAdmissionFails: {
    series: {
      'chancery_admission_requests_total{path="/validate",result="failed",reason="crash"}': [GROWS, STAYS],
      'chancery_admission_requests_total{path="/validate",result="denied",reason="invalid"}': [GROWS, GROWS],
    },
    labels: { path: "/validate" },
  },
};

/** A test for promtool: these series, and half an hour later this alert, or none. */
function testOf(rule: Rule, { series, labels }: Case, trouble: boolean) {
  const filled = (text: string) => text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name]!);
  const annotations = Object.fromEntries(Object.entries(rule.annotations).map(([name, text]) => [name, filled(text)]));
  return {
    name: `${rule.alert} ${trouble ? "in trouble" : "when all is well"}`,
    interval: "1m",
    input_series: Object.entries(series).map(([name, [bad, good]]) => ({ series: name, values: trouble ? bad : good })),
    alert_rule_test: [{
      eval_time: "30m",
      alertname: rule.alert,
      exp_alerts: trouble ? [{ exp_labels: { ...rule.labels, ...labels }, exp_annotations: annotations }] : [],
    }],
  };
}

Deno.test("promtool checks alert rules and queries of the dashboard, and raises each alert in trouble alone", async () => {
  const folder = await Deno.makeTempDir({ prefix: "promtool-" });
  try {
    const write = (name: string, content: object) => Deno.writeTextFile(`${folder}/${name}`, stringifyYaml(content));
    const promtool = async (...args: string[]) => {
      const { code, stdout, stderr } = await runProgram("promtool", args, { cwd: folder });
      expect([args.join(" "), code, code === 0 ? "" : stdout + stderr]).toEqual([args.join(" "), 0, ""]);
    };
    const rules = groups().flatMap((group) => group.rules);
    await write("rules.yaml", { groups: groups() });
    const queries = dashboardQueries().map((expr, at) => ({ record: `panel:${at}`, expr }));
    await write("dashboard.yaml", { groups: [{ name: "dashboard", rules: queries }] });
    await promtool("check", "rules", "--lint=all", "--lint-fatal", "rules.yaml", "dashboard.yaml");

    expect(Object.keys(CASES).sort()).toEqual(rules.map(({ alert }) => alert).sort());
    const tests = rules.flatMap((rule) => [true, false].map((trouble) => testOf(rule, CASES[rule.alert]!, trouble)));
    await write("tests.yaml", { rule_files: ["rules.yaml"], evaluation_interval: "1m", tests });
    await promtool("test", "rules", "tests.yaml");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
