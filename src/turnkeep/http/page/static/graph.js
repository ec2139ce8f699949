// Draws a graph from the server's Mermaid text: nodes in layers, edges as curves. An inner graph has its own drawing.

import { el, short, svg } from "./dom.js";

const NODE = /^\s*([\w\\.-]+?)\(/;
const EDGE = /^\s*([\w\\.-]+?)\s+(-->|-\.->|--.*?-->|-\..*?\.->)\s+([\w\\.-]+);?\s*$/;
const [WIDTH, HEIGHT, BESIDE, BELOW, PASSING] = [148, 34, 22, 46, 20];
const END = "__end__";

export function drawGraph(name, mermaid) {
  const drawings = [el("p", { class: "faint" }, "Solid: always. Dashed: as the step before decides.")];
  for (const [title, graph] of graphsOf(name, mermaid)) drawings.push(drawing(title, graph));
  return el("div", { class: "drawings" }, ...drawings);
}

// Returns nodes and edges by graph. An edge into an inner graph ends at the node that contains it. A node that chooses
// its successor in code has no edge.
function graphsOf(name, mermaid) {
  const graphs = new Map();
  const graph = (title) => graphs.get(title) || graphs.set(title, { nodes: new Set(), edges: [] }).get(title);
  graph(name);
  for (const line of mermaid.split("\n")) {
    const [node, edge] = [NODE.exec(line), EDGE.exec(line)];
    if (node) {
      const [inner, id] = placeOf(node[1]);
      graph(inner ?? name).nodes.add(id);
    }
    if (edge) addEdge(graph, name, placeOf(edge[1]), placeOf(edge[3]), edge[2].startsWith("-."));
  }
  return graphs;
}

function placeOf(text) {
  const [first, ...rest] = text.replaceAll("\\3a", ":").split(":");
  return rest.length ? [first, rest.join(":")] : [null, first];
}

function addEdge(graph, name, [fromInner, fromId], [toInner, toId], isChoice) {
  const isInner = fromInner && fromInner === toInner;
  const [from, to] = isInner ? [fromId, toId] : [fromInner ?? fromId, toInner ?? toId];
  if (from === END) return;  // another pass through an inner graph
  const { nodes, edges } = graph(isInner ? fromInner : name);
  nodes.add(from).add(to);
  if (!edges.some((edge) => edge.from === from && edge.to === to)) edges.push({ from, to, isChoice });
}

function drawing(title, graph) {
  const { nodes, routes, width, height } = laidOut(graph.nodes, graph.edges.filter((edge) => edge.from !== edge.to));
  const marker = `arrow-${title.replace(/\W/g, "-")}`;
  const arrow = svg("marker", { id: marker, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    svg("path", { d: "M0 0L8 4L0 8z", class: "arrow" }));
  const words = graph.edges.map((edge) => `${label(edge.from)} to ${label(edge.to)}`).join("; ");
  const image = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Graph of ${title}: ${words}` },
    svg("defs", {}, arrow),
    ...routes.map(({ points, isChoice }) => svg("path", { d: curve(points), class: isChoice ? "edge choice" : "edge", "marker-end": `url(#${marker})` })),
    ...nodes.map(([id, place]) => box(id, place)));
  return el("section", {}, el("h3", {}, label(title)), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Drawing of ${title}` }, image));
}

function box(id, { x, y }) {
  const isEnd = id.startsWith("__");
  return svg("g", {},
    svg("rect", { x: x - WIDTH / 2, y: y - HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: isEnd ? HEIGHT / 2 : 8, class: isEnd ? "node end" : "node" }),
    svg("text", { x, y: y + 4, "text-anchor": "middle" }, label(id)));
}

const label = (id) => short(id.replace(/^__(.*)__$/, "$1").replaceAll("_", " "), 22);

// Assigns layers by the longest path from the start, with back edges reversed. Edges get a place in layers they pass.
function laidOut(ids, edges) {
  const forward = edges.map((edge) => ({ ...edge }));
  turnBack(forward);
  const layers = placed(ids, forward);
  const widthOf = (id) => (typeof id === "string" ? WIDTH : PASSING) + BESIDE;
  const widths = layers.map((layer) => layer.reduce((sum, id) => sum + widthOf(id), 0));
  const width = Math.max(...widths) + BESIDE;
  const nodes = new Map();
  layers.forEach((layer, row) => {
    let left = (width - widths[row]) / 2;
    for (const id of layer) {
      nodes.set(id, { x: left + widthOf(id) / 2, y: 12 + HEIGHT / 2 + row * (HEIGHT + BELOW) });
      left += widthOf(id);
    }
  });
  const routes = forward.map((edge) => ({ points: way(edge, nodes), isChoice: edge.isChoice }));
  return { nodes: [...nodes].filter(([id]) => typeof id === "string"), routes, width, height: layers.length * (HEIGHT + BELOW) - BELOW + 24 };
}

function turnBack(edges) {
  const state = new Map();
  const visit = (id) => {
    state.set(id, "open");
    for (const edge of edges.filter((each) => !each.isBack && each.from === id)) {
      if (state.get(edge.to) === "open") [edge.from, edge.to, edge.isBack] = [edge.to, edge.from, true];
      else if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, "done");
  };
  for (const id of ["__start__", ...edges.map((edge) => edge.from)]) if (!state.has(id)) visit(id);
}

function placed(ids, edges) {
  const rank = new Map();
  const rankOf = (id) => {
    if (!rank.has(id)) rank.set(id, Math.max(0, ...edges.filter((edge) => edge.to === id).map((edge) => rankOf(edge.from) + 1)));
    return rank.get(id);
  };
  for (const edge of edges) rankOf(edge.to), rankOf(edge.from);
  for (const id of ids) if (!rank.has(id)) rank.set(id, 2);
  if (rank.delete(END)) rank.set(END, Math.max(...rank.values()) + 1);
  const layers = Array.from({ length: Math.max(...rank.values()) + 1 }, () => []);
  for (const [id, at] of rank) layers[at].push(id);
  for (const edge of edges) {
    const through = layers.slice(rank.get(edge.from) + 1, rank.get(edge.to)).map((layer) => layer[layer.push({}) - 1]);
    edge.chain = [edge.from, ...through, edge.to];
  }
  return layers;
}

function way({ chain, isBack }, nodes) {
  const [from, ...between] = chain.map((id) => nodes.get(id));
  const to = between.pop();
  const points = [{ x: from.x, y: from.y + HEIGHT / 2 }, ...between, { x: to.x, y: to.y - HEIGHT / 2 }];
  if (!isBack) return points;
  const side = Math.sign(from.x - to.x) || 1;  // next to the edge in the other direction
  return points.reverse().map((point) => ({ x: point.x + (between.includes(point) ? 0 : side * WIDTH * 0.22), y: point.y }));
}

function curve(points) {
  return points.slice(1).reduce((path, { x, y }, at) => {
    const middle = (points[at].y + y) / 2;
    return `${path}C${points[at].x} ${middle} ${x} ${middle} ${x} ${y}`;
  }, `M${points[0].x} ${points[0].y}`);
}
