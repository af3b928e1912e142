"use strict";
// Draws the figures of an openload report from the data in the page. It asks nobody for anything.
(function () {
	const data = JSON.parse(document.getElementById("data").textContent);
	const root = document.documentElement;
	const color = name => getComputedStyle(root).getPropertyValue("--" + name).trim();

	// Durations as the text report writes them: three digits and a unit that suits.
	function duration(ns) {
		if (ns === null || ns === undefined) return "-";
		if (ns === 0) return "0 ms";
		for (const [unit, size, from] of [["h", 3.6e12, 2], ["min", 6e10, 2], ["s", 1e9, 1], ["ms", 1e6, 1], ["µs", 1e3, 1]]) {
			const x = ns / size;
			if (Number(x.toPrecision(3)) >= from) return plain(x) + " " + unit;
		}
		return ns + " ns";
	}
	function plain(x) {
		const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(Number(x.toPrecision(3))))));
		return Number(x.toPrecision(3)).toFixed(Math.min(decimals, 20));
	}
	const seconds = s => duration(Math.round(s * 1e9));

	// A percentile from x = 1/(1-p).
	function percentile(x) {
		if (x <= 1) return "min";
		const p = 100 * (1 - 1 / x);
		return "p" + String(Number(p.toFixed(Math.max(2, Math.ceil(Math.log10(x)) + 1))));
	}

	function decades(min, max) {
		const all = [];
		for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) all.push(Math.pow(10, e));
		return all.filter(v => v >= min * 0.999 && v <= max * 1.001);
	}
	// Ticks of a log axis: decades, and 2 and 5 between them where there are few.
	function logTicks(min, max) {
		let all = decades(min, max);
		if (all.length < 4) {
			all = [];
			for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++)
				for (const m of [1, 2, 5]) all.push(m * Math.pow(10, e));
			all = all.filter(v => v >= min * 0.999 && v <= max * 1.001);
		}
		return all;
	}

	function axis(more) {
		return Object.assign({
			stroke: color("text"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18,
			grid: {stroke: color("line"), width: 1}, ticks: {stroke: color("line"), width: 1},
		}, more);
	}
	const latencyAxis = () => axis({scale: "y", size: 64, splits: (u, i, min, max) => logTicks(min, max), values: (u, all) => all.map(duration), filter: (u, all) => all});
	const latencyScale = {distr: 3, log: 10, range: (u, min, max) => {
		if (min === null || !(max > 0)) return [1e6, 1e9];
		return [Math.max(1, min / 1.25), Math.max(max * 1.25, min * 2)];
	}};
	const timeAxis = () => axis({values: (u, all) => all.map(seconds), space: 70});

	function line(name, stroke, more) {
		return Object.assign({label: name, stroke: color(stroke), width: 2, points: {show: false}, spanGaps: false, value: (u, v) => duration(v)}, more);
	}

	// Over a finished figure.
	function over(u, draw) {
		const c = u.ctx;
		c.save();
		c.beginPath();
		c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
		c.clip();
		c.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
		c.lineWidth = devicePixelRatio;
		c.textBaseline = "bottom";
		draw(c, u.bbox.left, u.bbox.top, u.bbox.left + u.bbox.width, u.bbox.top + u.bbox.height);
		c.restore();
	}
	// Text with the page's ground under it, legible whatever else lies there.
	function write(c, text, left, bottom) {
		const ink = c.fillStyle;
		c.textAlign = "left";
		c.textBaseline = "bottom";
		c.fillStyle = color("ground");
		c.fillRect(left - 3, bottom - 15 * devicePixelRatio, c.measureText(text).width + 6, 16 * devicePixelRatio);
		c.fillStyle = ink;
		c.fillText(text, left, bottom);
	}
	// Text beside x, on the side with more room.
	function label(c, text, x, y, left, right) {
		const width = c.measureText(text).width, gap = 6 * devicePixelRatio;
		write(c, text, x - left > right - x ? x - gap - width : x + gap, y);
	}
	function limits(u, all, named) {
		over(u, (c, left, top, right, bottom) => {
			for (const l of all || []) {
				const y = Math.round(u.valToPos(l.ns, "y", true));
				if (y < top || y > bottom) continue;
				c.strokeStyle = c.fillStyle = color("limit");
				c.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
				c.beginPath(); c.moveTo(left, y); c.lineTo(right, y); c.stroke();
				// Under the line where there is no room over it, and under the names of stages.
				const low = y - 34 * devicePixelRatio >= top ? y - devicePixelRatio : Math.max(y + 17 * devicePixelRatio, top + (named && data.stages && data.stages.length ? 42 : 0) * devicePixelRatio);
				write(c, l.rule, left + 6 * devicePixelRatio, low);
				if (l.x) {
					const x = u.valToPos(l.x, "x", true);
					c.setLineDash([]);
					c.beginPath(); c.arc(x, y, 4 * devicePixelRatio, 0, 7); c.stroke();
				}
			}
		});
	}
	// Where the warm-up ends and the plan's phases begin, with the names that there is room for.
	function stages(u) {
		over(u, (c, left, top, right) => {
			c.fillStyle = c.strokeStyle = color("muted");
			const all = (data.stages || []).map(s => ({name: s.name, x: Math.round(u.valToPos(s.t, "x", true))}));
			all.forEach((s, i) => {
				c.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
				c.beginPath(); c.moveTo(s.x, top); c.lineTo(s.x, top + u.bbox.height); c.stroke();
				const from = Math.max(s.x, left) + 4 * devicePixelRatio, next = i + 1 < all.length ? all[i + 1].x : right;
				if (s.x <= right && from + c.measureText(s.name).width <= next) write(c, s.name, from, top + 24 * devicePixelRatio);
			});
		});
	}
	// The labels of ticks that don't lie on those before.
	function apart(u, all, text) {
		let end = -Infinity;
		return all.map(v => {
			const t = text(v), x = u.valToPos(v, "x"), half = t.length * 3.5;
			if (x - half < end) return "";
			end = x + half + 4;
			return t;
		});
	}

	const figures = {
		spectrum(d) {
			const y = [d.x], series = [{label: "percentile", value: (u, v) => v === null ? "-" : percentile(v)}];
			for (const s of d.lines) {
				y.push(s.y);
				series.push(line(s.name, s.name === "corrected" ? "corrected" : "raw", s.name === "corrected" ? {} : {dash: [6, 4]}));
			}
			const most = d.x[d.x.length - 1];
			return {data: y, opts: {
				height: 340, series,
				scales: {x: {time: false, distr: 3, log: 10, range: (u, min, max) => [Math.max(1, min), Math.max(2, Math.min(max, most * 1.6))]}, y: latencyWith(d.limits)},
				axes: [axis({splits: (u, i, min, max) => [...decades(Math.max(1, min), max), 2].filter(x => x >= min && x <= max).sort((a, b) => a - b), values: (u, all) => apart(u, all, percentile), filter: (u, all) => all, space: 40}), latencyAxis()],
				hooks: {draw: [u => limits(u, d.limits), u => over(u, (c, left, top, right, bottom) => {
					d.ends.forEach((e, i) => {
						const x = Math.round(u.valToPos(e.x, "x", true));
						c.strokeStyle = c.fillStyle = color(e.name === "corrected" ? "corrected" : "raw");
						c.setLineDash([devicePixelRatio, 3 * devicePixelRatio]);
						c.beginPath(); c.moveTo(x, top); c.lineTo(x, bottom); c.stroke();
						label(c, e.text, x, bottom - (14 + 18 * i) * devicePixelRatio, left, right);
					});
				})]},
			}};
		},
		time(d) {
			const series = [{label: "due at", value: (u, v) => v === null ? "-" : seconds(v)}];
			const lines = [];
			for (const s of d.lines) {
				const raw = s.name.startsWith("raw");
				lines.push(s.y);
				series.push(line(s.name, raw ? "raw" : "corrected", raw ? {dash: [6, 4]} : s.name.includes("longest") ? {width: 1} : {}));
				const last = series[series.length - 1];
				last.points = {show: d.x.length < 3 || alone(s.y), size: 4};
			}
			return {data: [d.x, ...lines], opts: {
				height: 300, series, cursor: {sync: {key: "time"}},
				scales: {x: {time: false, range: (u, min, max) => span(min, max, d.end)}, y: latencyWith(d.limits)}, axes: [timeAxis(), latencyAxis()],
				hooks: {draw: [u => limits(u, d.limits, true), stages, u => over(u, (c, left, top) => {
					c.fillStyle = color("limit");
					for (const t of d.failed || []) c.fillRect(u.valToPos(t, "x", true) - devicePixelRatio, top, 2 * devicePixelRatio, 8 * devicePixelRatio);
				})]},
			}};
		},
		heat(d) { return heat(d, d.cells.corrected || d.cells.raw); },
		heatraw(d) { return heat(d, d.cells.raw); },
		flow(d) {
			const stepped = uPlot.paths.stepped({align: 1});
			const n = (u, v) => v === null ? "-" : String(v);
			const series = [{label: "from", value: (u, v) => v === null ? "-" : seconds(v)}];
			const lines = [];
			for (const [name, y, stroke, dash] of [["planned", d.scheduled, "text", [2, 3]], ["sent", d.sent, "raw", [7, 4]], ["completed", d.ended, "corrected", undefined]])
				if (y && y.length) {
					lines.push(y);
					series.push(line(name, stroke, {dash, width: name === "completed" ? 1.5 : 2, paths: stepped, value: n}));
				}
			return {data: [d.x, ...lines], opts: {
				height: 240, series, cursor: {sync: {key: "time"}},
				scales: {x: {time: false, range: (u, min, max) => span(min, max, d.end)}, y: {range: (u, min, max) => [0, Math.max(1, max * 1.08)]}},
				axes: [timeAxis(), axis({size: 64})], hooks: {draw: [stages]},
			}};
		},
		peaks(d) {
			const series = [{label: "width", value: (u, v) => v === null ? "-" : seconds(v)}];
			for (let i = 0; i < d.lines.length; i++) series.push(line(d.lines[i].name, ["corrected", "raw", "text"][i], {dash: [undefined, [7, 4], [2, 3]][i], value: (u, v) => v === null ? "-" : String(Number(v.toPrecision(4)))}));
			return {data: [d.x, ...d.lines.map(l => l.y)], opts: {
				height: 240, series,
				scales: {x: {time: false, distr: 3, log: 10, range: (u, min, max) => [min, max]}, y: {distr: 3, log: 10, range: (u, min, max) => [Math.max(0.5, min / 1.5), Math.max(2, max * 1.5)]}},
				axes: [axis({splits: (u, i, min, max) => logTicks(min, max), values: (u, all) => apart(u, all, seconds), filter: (u, all) => all, space: 40}), axis({size: 64, splits: (u, i, min, max) => logTicks(min, max), values: (u, all) => all.map(String), filter: (u, all) => all})],
			}};
		},
		lag(d) {
			const positive = y => y.map(v => v > 0 ? v : null);
			return {data: [d.x, positive(d.lag), positive(d.late)], opts: {
				height: 200, cursor: {sync: {key: "time"}},
				series: [{label: "from", value: (u, v) => v === null ? "-" : seconds(v)}, line("longest lag", "corrected", {points: {show: true, size: 4}, width: 1}), line("longest hiccup", "raw", {dash: [6, 4], points: {show: true, size: 4}, width: 1})],
				scales: {x: {time: false, range: (u, min, max) => span(min, max, d.end)}, y: latencyScale}, axes: [timeAxis(), latencyAxis()], hooks: {draw: [stages]},
			}};
		},
	};

	// The whole run, unless somebody zoomed in.
	function span(min, max, end) {
		return min === null || min === max ? [0, Math.max(end, 1e-6)] : [min === 0 ? 0 : min, max];
	}
	const alone = y => y.some((v, i) => v !== null && (i === 0 || y[i - 1] === null) && (i === y.length - 1 || y[i + 1] === null));
	// A latency scale on which the limits can be seen.
	function latencyWith(all) {
		return Object.assign({}, latencyScale, {range: (u, min, max) => {
			for (const l of all || []) if (l.ns > 0) {
				min = min === null ? l.ns : Math.min(min, l.ns);
				max = max === null ? l.ns : Math.max(max, l.ns);
			}
			return latencyScale.range(u, min, max);
		}});
	}

	function heat(d, cells) {
		let most = 1;
		for (const c of cells) most = Math.max(most, c[2]);
		return {data: [[0, d.end], [d.edges[0], d.edges[d.edges.length - 1]]], opts: {
			height: 260, legend: {show: false}, cursor: {sync: {key: "time"}, points: {show: false}},
			scales: {x: {time: false, range: (u, min, max) => span(min, max, d.end)}, y: {distr: 3, log: 10, range: () => [d.edges[0], d.edges[d.edges.length - 1]]}},
			series: [{}, {label: "", stroke: "transparent", points: {show: false}, paths: () => null}], axes: [timeAxis(), latencyAxis()],
			hooks: {draw: [u => over(u, (c, left, top) => {
				const heat = color("heat");
				for (const [column, row, n] of cells) {
					const x0 = u.valToPos(column * d.width, "x", true), x1 = u.valToPos((column + 1) * d.width, "x", true);
					const y0 = u.valToPos(d.edges[row + 1], "y", true), y1 = u.valToPos(d.edges[row], "y", true);
					c.fillStyle = "rgba(" + heat + "," + (0.18 + 0.82 * Math.log(1 + n) / Math.log(1 + most)).toFixed(3) + ")";
					c.fillRect(x0, y0, Math.max(1, x1 - x0 - 0.5), Math.max(1, y1 - y0 - 0.5));
				}
				c.fillStyle = color("limit");
				(d.failed || []).forEach((n, i) => {
					if (n > 0) c.fillRect(u.valToPos(i * d.width, "x", true), top, Math.max(2, u.valToPos((i + 1) * d.width, "x", true) - u.valToPos(i * d.width, "x", true)), 5 * devicePixelRatio);
				});
			}), u => limits(u, d.limits, true), stages]},
		}};
	}

	const plots = [];
	let draws = 0;
	function draw() {
		for (const p of plots.splice(0)) p.destroy();
		let ready = 0;
		for (const id in figures) {
			const place = document.getElementById(id);
			const d = id === "heatraw" ? data.heat : data[id];
			if (!place || !d) continue;
			const f = figures[id](d);
			const width = () => Math.max(280, place.clientWidth);
			const u = new uPlot(Object.assign({width: width()}, f.opts), f.data, place);
			plots.push(u);
			place.onkeydown = e => key(e, u, f.data[0]);
			ready++;
		}
		root.dataset.ready = String(ready);
		root.dataset.draws = String(++draws);
	}

	// The arrow keys move the cursor from point to point; the legend tells what is there.
	function key(e, u, x) {
		let at = u.cursor.idx === null || u.cursor.idx === undefined ? -1 : u.cursor.idx;
		switch (e.key) {
		case "ArrowRight": at = Math.min(x.length - 1, at + 1); break;
		case "ArrowLeft": at = at < 0 ? x.length - 1 : Math.max(0, at - 1); break;
		case "Home": at = 0; break;
		case "End": at = x.length - 1; break;
		case "Escape": u.setData(u.data, true); return;
		default: return;
		}
		e.preventDefault();
		u.setCursor({left: u.valToPos(x[at], "x"), top: u.over.clientHeight / 2});
	}

	draw();
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
	matchMedia("print").addEventListener("change", draw);
	// Paper can't be clicked: it gets the numbers of every figure.
	let opened = [];
	addEventListener("beforeprint", () => {
		opened.push(...document.querySelectorAll("details:not([open])"));
		for (const d of opened) d.open = true;
	});
	addEventListener("afterprint", () => { for (const d of opened.splice(0)) d.open = false; });
	let later = 0;
	addEventListener("resize", () => {
		clearTimeout(later);
		later = setTimeout(() => plots.forEach(u => u.setSize({width: Math.max(280, u.root.parentNode.clientWidth), height: u.height})), 100);
	});
})();
